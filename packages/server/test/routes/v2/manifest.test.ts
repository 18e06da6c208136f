import { hash } from "node:crypto";
import type { SignedManifest, SigningKeys } from "@dbdepot/contract/v2/manifests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { createSigningKey, rotateSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { minisignVerify } from "../../domain/manifests/minisign-tool.ts";

const id = "vpn_ip_v1";
const URL = `/api/v2/database/manifest?id=${id}`;

for (const stage of stages()) {
  describe(`GET /api/v2/database/manifest on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    const keys = () => call(`${acme.apiUrl}/.well-known/dbdepot-keys.json`);
    const buildIds: string[] = [];

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const name of [id, "bogon_ip_v1", "tor_ip_v1"]) await operator.addDatabase(name);
      for (const base of ["vpn_ip", "tor_ip"]) await operator.grant("Acme", base);
      buildIds.push((await operator.publish(id, "one")).id);
    });
    afterAll(() => test.dispose());

    it("returns 404 NOT_SIGNED while the service has no signing key", async () => {
      expectRefusal(await acme.get(URL), 404, "NOT_SIGNED");
      expectRefusal(await keys(), 404, "NOT_SIGNED");
    });

    it("returns the manifest of the current build and its signature", async () => {
      const { key } = await createSigningKey(test.operator.operation());
      buildIds.push((await test.operator.publish(id, "two")).id);
      const reply = await acme.get(URL);
      const signed = reply.json as SignedManifest;
      expect(signed).toMatchObject({ id, sequence: 2, build_id: buildIds[1], key_id: key.keyId });
      expect(JSON.parse(signed.manifest)).toMatchObject({ id, build_id: buildIds[1], sequence: 2 });
      expect(reply.headers.get("x-build-id")).toBe(buildIds[1]);
      const checksums = await acme.checksum(id, "mmdb");
      expect(JSON.parse(signed.manifest).files.mmdb.checksums).toEqual(checksums.json.checksums);
    });

    it("returns each part as a file, and the published key", async () => {
      const manifest = await acme.get(`${URL}&part=manifest`);
      const signature = await acme.get(`${URL}&part=signature`);
      const signed = (await acme.get(URL)).json as SignedManifest;
      expect([manifest.text, signature.text]).toEqual([signed.manifest, signed.signature]);
      const { keys: published } = (await keys()).json as SigningKeys;
      expect(published).toMatchObject([{ key_id: signed.key_id, expires: null, endorsement: null }]);
    });

    it("is signed with the published key, as minisign verifies", needs("minisign"), async () => {
      const { manifest, signature } = (await acme.get(URL)).json as SignedManifest;
      const [published] = ((await keys()).json as SigningKeys).keys;
      expect(minisignVerify(manifest, signature, published?.public_key ?? "").status).toBe(0);
      expect(minisignVerify(`${manifest} `, signature, published?.public_key ?? "").status).not.toBe(0);
    });

    it("returns earlier manifests by sequence number and by build", async () => {
      const second = (await acme.get(URL)).json as SignedManifest;
      const first = (await acme.get(`${URL}&sequence=1`)).json as SignedManifest;
      expect(JSON.parse(second.manifest).previous).toBe(hash("sha256", first.manifest));
      expect((await acme.get(`${URL}&build=${buildIds[0]}`)).json).toEqual(first);
      await rollBack(test.operator.operation(), { versionId: id, to: buildIds[0] });
      await test.operator.settle();
      const third = (await acme.get(URL)).json as SignedManifest;
      expect(third).toMatchObject({ sequence: 3, build_id: buildIds[0] });
      expect((await acme.get(`${URL}&build=${buildIds[0]}`)).json).toEqual(third);
      expect((await acme.get(`${URL}&build=${buildIds[1]}`)).json).toEqual(second);
      for (const sequence of ["4", "0", "-1", "x", "1.0", "99999999999999999999", "1&sequence=2"]) {
        expectRefusal(await acme.get(`${URL}&sequence=${sequence}`), 404, "NOT_SIGNED");
      }
      expectRefusal(await acme.get(`${URL}&build=nope`), 404, "UNKNOWN_BUILD");
    });

    it("says that the last build was withdrawn", async () => {
      for (const build of buildIds) await withdrawBuild(test.operator.operation(), build);
      await test.operator.settle();
      expectRefusal(await acme.metadata(id), 503, "NOT_AVAILABLE");
      const reply = await acme.get(URL);
      expect(reply.json).toMatchObject({ id, sequence: 4, build_id: null });
      expect(JSON.parse(reply.json.manifest)).toMatchObject({ build_id: null, files: {} });
      expect(reply.headers.get("x-build-id")).toBeNull();
      expect((await acme.get(`${URL}&sequence=1`)).json).toMatchObject({ build_id: buildIds[0] });
      expectRefusal(await acme.get(`${URL}&build=${buildIds[0]}`), 404, "UNKNOWN_BUILD");
    });

    it("returns the same errors as metadata", async () => {
      const get = (database: string) => acme.get(`/api/v2/database/manifest?id=${database}`);
      expectRefusal(await get("nope_v1"), 404, "UNKNOWN_DATASET");
      expectRefusal(await get("bogon_ip_v1"), 403, "NOT_LICENSED");
      expectRefusal(await get("tor_ip_v1"), 503, "NOT_AVAILABLE");
      expectRefusal(await call(`${acme.apiUrl}${URL}`), 401, "UNAUTHORIZED");
    });

    it("returns 304 until the current build changes", async () => {
      for (const part of ["", "&part=manifest", "&part=signature"]) {
        const etag = (await acme.get(URL + part)).headers.get("etag") ?? "";
        expect((await acme.get(URL + part, { "if-none-match": etag })).status).toBe(304);
        await test.operator.publish(id, `after ${part}`);
        expect((await acme.get(URL + part, { "if-none-match": etag })).status).toBe(200);
      }
      const { headers } = await keys();
      const init = { headers: { "if-none-match": headers.get("etag") ?? "" } };
      expect((await call(`${acme.apiUrl}/.well-known/dbdepot-keys.json`, init)).status).toBe(304);
    });

    it("lists both keys after a rotation, with the old key's endorsement", async () => {
      test.clock.advance("1 days");
      const { key } = await rotateSigningKey(test.operator.operation(), { overlapDays: 30 });
      await test.operator.settle();
      const { keys: published } = (await keys()).json as SigningKeys;
      expect(published).toMatchObject([
        { expires: expect.any(String), endorsement: null },
        { key_id: key.keyId, expires: null, endorsement: key.endorsement },
      ]);
      expect((await acme.get(URL)).json.key_id).toBe(key.keyId);
    });
  });
}
