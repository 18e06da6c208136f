import { hash } from "node:crypto";
import type { SignedFreshness } from "@dbdepot/contract/v2/freshness";
import { verifiedFreshness } from "@dbdepot/contract/v2/freshness-proof";
import type { SignedManifest, SigningKeys } from "@dbdepot/contract/v2/manifests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { createFreshnessKey, rotateFreshnessKey } from "../../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { minisignVerify } from "../../domain/manifests/minisign-tool.ts";

const id = "vpn_ip_v1";
const URL = `/api/v2/database/freshness?id=${id}`;

for (const stage of stages()) {
  describe(`GET /api/v2/database/freshness on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let firstBuildId: string;
    let signingKey: string;
    let keyId: string;
    const keys = async () => (await call(`${acme.apiUrl}/.well-known/dbdepot-keys.json`)).json as SigningKeys;
    const freshness = async () => (await acme.get(URL)).json as SignedFreshness;
    const manifest = async () => (await acme.get(`/api/v2/database/manifest?id=${id}`)).json as SignedManifest;
    /** Verifies the statement and its key as a customer does, and compares it with the newest manifest. */
    const expectCurrent = async (): Promise<SignedFreshness> => {
      const [signed, { manifest: text, sequence }] = [await freshness(), await manifest()];
      const verified = verifiedFreshness(signed, [{ publicKey: signingKey }]);
      expect(verified?.statement).toMatchObject({ id, sequence, manifest_sha256: hash("sha256", text) });
      return signed;
    };

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      for (const name of [id, "bogon_ip_v1", "tor_ip_v1"]) await operator.addDatabase(name);
      for (const base of ["vpn_ip", "tor_ip"]) await operator.grant("Acme", base);
      firstBuildId = (await operator.publish(id, "one")).id;
      signingKey = (await createSigningKey(operator.operation())).key.publicKey;
    });
    afterAll(() => test.dispose());

    it("returns 404 NOT_SIGNED, and lists no keys, while there is no freshness key", async () => {
      expectRefusal(await acme.get(URL), 404, "NOT_SIGNED");
      expect(await keys()).not.toHaveProperty("freshness_keys");
    });

    it("returns a statement about the newest manifest, with the endorsement of its key", async () => {
      const { key, confirmedCount } = await createFreshnessKey(test.operator.operation(), { validDays: 365 });
      expect(confirmedCount).toBe(1);
      await test.operator.settle();
      const signed = await expectCurrent();
      expect(signed.key_id).toBe(key.keyId);
      keyId = key.keyId;
      expect(Date.parse(signed.valid_until) - Date.parse(signed.issued)).toBe(86_400_000);
      const { freshness_keys: listed } = await keys();
      expect(listed).toMatchObject([{ key_id: key.keyId, endorsement: signed.endorsement }]);
    });

    it("confirms a new build, its rollback and the withdrawal of the last one in the same transaction", async () => {
      const due = async () => test.service.services.store.freshness.due({ keyId, now: new Date(0), limit: 1 });
      const { id: buildId } = await test.operator.publish(id, "two");
      expect([await due(), (await expectCurrent()).sequence]).toEqual([[], 2]);
      await rollBack(test.operator.operation(), { versionId: id, to: firstBuildId });
      expect(await due()).toEqual([]);
      await test.operator.settle();
      expect((await expectCurrent()).sequence).toBe(3);
      for (const each of [firstBuildId, buildId]) await withdrawBuild(test.operator.operation(), each);
      expect(await due()).toEqual([]);
      await test.operator.settle();
      const { manifest: text } = await manifest();
      expect(JSON.parse(text)).toMatchObject({ build_id: null });
      await expectCurrent();
    });

    it("answers 304 until there is a new statement", async () => {
      const etag = (await acme.get(URL)).headers.get("etag") ?? "";
      const conditional = () => acme.get(URL, { "if-none-match": etag });
      expect((await conditional()).status).toBe(304);
      await rotateFreshnessKey(test.operator.operation(), { validDays: 365 });
      await test.operator.settle();
      expect((await conditional()).status).toBe(200);
      await expectCurrent();
    });

    it("returns each part as a file", async () => {
      const signed = await freshness();
      const [statement, signature] = [await acme.get(`${URL}&part=statement`), await acme.get(`${URL}&part=signature`)];
      expect([statement.text, signature.text]).toEqual([signed.statement, signed.signature]);
    });

    it("is signed by keys that the signing key endorsed, as minisign verifies", needs("minisign"), async () => {
      const { statement, signature, endorsement } = await freshness();
      const freshnessKey = JSON.parse(endorsement.statement).freshness_key;
      expect(minisignVerify(statement, signature, freshnessKey).status).toBe(0);
      expect(minisignVerify(`${statement} `, signature, freshnessKey).status).not.toBe(0);
      expect(minisignVerify(endorsement.statement, endorsement.signature, signingKey).status).toBe(0);
    });

    it("refuses what it refuses for the manifest", async () => {
      const get = (database: string) => acme.get(`/api/v2/database/freshness?id=${database}`);
      expectRefusal(await get("bogon_ip_v1"), 403, "NOT_LICENSED");
      expectRefusal(await get("nothing_v1"), 404, "UNKNOWN_DATASET");
      expectRefusal(await get("tor_ip_v1"), 503, "NOT_AVAILABLE");
      expectRefusal(await call(`${acme.apiUrl}${URL}`), 401, "UNAUTHORIZED");
    });
  });
}
