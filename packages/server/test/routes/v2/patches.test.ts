import { Readable } from "node:stream";
import type { UsageLine } from "@dbdepot/contract/v2/usage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { checksumsOf, type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { rollBack } from "../../../src/domain/builds/rollback.ts";
import { patchKeyOf } from "../../../src/domain/patches/patch.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";

const PATCH = Buffer.from("the bytes of a patch");
const { sha256: patchSha256 } = checksumsOf(PATCH);

for (const stage of stages()) {
  describe(`GET /api/v2/database/download with from on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let old: Build;
    let current: Build;

    beforeAll(async () => {
      test = await testService(stage);
      acme = await test.operator.customer("Acme");
      await test.operator.addDatabase("vpn_ip_v1");
      await test.operator.grant("Acme", "vpn_ip");
      old = await test.operator.publish("vpn_ip_v1", "old");
      current = await test.operator.publish("vpn_ip_v1", "new ".repeat(100), ["mmdb"]);
      await addPatch(current, old);
    });
    afterAll(() => test.dispose());

    async function addPatch(build: Build, base: Build): Promise<void> {
      const { store, objects } = test.service.services;
      const now = test.clock.now();
      const patch = { id: newId(now), versionId: "vpn_ip_v1", buildId: build.id, baseBuildId: base.id };
      const objectKey = patchKeyOf(patch);
      await objects.put(objectKey, Readable.from([PATCH]));
      const file = { objectKey, sizeBytes: PATCH.length, sha256: patchSha256 };
      const made = { format: "mmdb", baseSha256: digestOf(base), reason: null, durationMs: 5, created: now } as const;
      await store.change((tables) => tables.patches.insert({ ...patch, ...made, file }));
      await test.operator.settle();
    }

    const digestOf = (build: Build) => build.files.mmdb?.checksums.sha256 ?? "";
    const reprDigest = (build: Build) => `sha-256=:${Buffer.from(digestOf(build), "hex").toString("base64")}:`;
    const from = (build: Build) => `&from=${digestOf(build)}`;

    it("redirects to the patch, with its digest and size, and the digest of its result", async () => {
      const reply = await acme.download("vpn_ip_v1", "mmdb", from(old));
      expect(reply.status).toBe(302);
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        "x-patch-from": digestOf(old),
        "x-patch-sha256": patchSha256,
        "x-patch-size": String(PATCH.length),
        "repr-digest": reprDigest(current),
        "x-build-id": current.id,
        etag: `"${patchSha256}"`,
      });
      const file = await call(reply.headers.get("location") ?? "");
      expect([file.status, file.text]).toEqual([200, PATCH.toString()]);
      expect(file.headers.get("content-disposition")).toBe('attachment; filename="vpn_ip_v1.mmdb.patch"');
    });

    it("accepts digests in capitals", async () => {
      const reply = await acme.download("vpn_ip_v1", "mmdb", from(old).toUpperCase().replace("FROM", "from"));
      expect(reply.headers.get("x-patch-from")).toBe(digestOf(old));
    });

    it("redirects to the file if there is no patch from this file, in this format, to this build, or for samples", async () => {
      for (const [format, more] of [
        ["mmdb", from(current)],
        ["mmdb", `&from=${"0".repeat(64)}`],
        ["csvgz", from(old)],
        ["mmdb", `${from(old)}&build=${old.id}`],
        ["mmdb", `${from(old)}&sample=true`],
      ] as const) {
        const reply = await acme.download("vpn_ip_v1", format, more);
        expect([reply.status, reply.headers.has("x-patch-from")]).toEqual([302, false]);
      }
    });

    it("records the size of the patch in the history, and that it was one", async () => {
      await acme.download("vpn_ip_v1", "mmdb", from(old));
      await acme.download("vpn_ip_v1", "mmdb");
      expect((await acme.history("?limit=2")).map(({ bytes, patch }) => [bytes, patch])).toEqual([
        [current.files.mmdb?.sizeBytes, false],
        [PATCH.length, true],
      ]);
    });

    it("sends the patch itself, or a range of it, with delivery=stream, and counts its bytes separately", async () => {
      const whole = await acme.download("vpn_ip_v1", "mmdb", `${from(old)}&delivery=stream`);
      expect([whole.status, whole.text]).toEqual([200, PATCH.toString()]);
      expect(whole.headers.get("x-patch-sha256")).toBe(patchSha256);
      expect(whole.headers.get("repr-digest")).toBe(reprDigest(current));
      expect(whole.headers.get("content-length")).toBe(String(PATCH.length));
      const path = `/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream${from(old)}`;
      const part = await acme.get(path, { range: "bytes=4-", "if-range": `"${patchSha256}"` });
      expect([part.status, part.text]).toEqual([206, PATCH.subarray(4).toString()]);
      const { values } = await test.service.services.metrics.transferBytes.get();
      expect(values).toContainEqual({ labels: { server: "api", content: "patch" }, value: PATCH.length * 2 - 4 });
    });

    it("reports once per transfer by how much the file is larger than the patch", async () => {
      const { store, metrics } = test.service.services;
      const counted = async () => {
        const { values } = await metrics.patchSavedBytes.get();
        return values.find(({ labels }) => labels.format === "mmdb")?.value ?? 0;
      };
      const reported = async () => {
        await updateUsage({ usage: store.usage, clock: test.clock.now, by: "the test" });
        const { json } = await acme.get("/api/v2/database/usage?by=database");
        return json.usage.map(({ format, saved_bytes }: UsageLine) => [format, saved_bytes]);
      };
      test.clock.advance("40 days");
      const before = await counted();
      const path = `/api/v2/database/download?id=vpn_ip_v1&format=mmdb${from(old)}`;
      const stream = `${path}&delivery=stream`;
      await acme.get(path);
      await acme.get(stream);
      await acme.get(stream, { range: "bytes=0-3" });
      await acme.get(stream, { range: "bytes=4-" });
      await acme.get(stream, { "if-none-match": `"${patchSha256}"` });
      await call(acme.apiUrl + stream, { method: "HEAD", headers: { "x-api-key": acme.key } });
      await acme.download("vpn_ip_v1", "mmdb");
      const saved = 3 * ((current.files.mmdb?.sizeBytes ?? 0) - PATCH.length);
      expect(await reported()).toEqual([["mmdb", saved]]);
      expect((await counted()) - before).toBe(saved);
    });

    it("says in the checksums whether there is a patch", async () => {
      const reply = await acme.checksum("vpn_ip_v1", "mmdb", from(old));
      expect(reply.json).toEqual({
        id: "vpn_ip_v1",
        format: "mmdb",
        checksums: current.files.mmdb?.checksums,
        patch: {
          from: digestOf(old),
          sha256: patchSha256,
          size_bytes: PATCH.length,
          result_size_bytes: current.files.mmdb?.sizeBytes,
        },
      });
      expect((await acme.checksum("vpn_ip_v1", "mmdb", from(current))).json).not.toHaveProperty("patch");
    });

    it("returns 400 INVALID_REQUEST for an invalid digest, and records the attempt to download", async () => {
      const before = (await acme.history()).length;
      for (const invalid of [
        "",
        "abc",
        "x".repeat(64),
        `${digestOf(old)}0`,
        `${digestOf(old)}&from=${digestOf(old)}`,
      ]) {
        expectRefusal(await acme.download("vpn_ip_v1", "mmdb", `&from=${invalid}`), 400, "INVALID_REQUEST");
        expectRefusal(await acme.checksum("vpn_ip_v1", "mmdb", `&from=${invalid}`), 400, "INVALID_REQUEST");
      }
      const history = await acme.history();
      expect(history).toHaveLength(before + 5);
      expect(history[0]).toMatchObject({ outcome: "unavailable", http_status: 400, bytes: null, patch: false });
    });

    it("refuses patches without a licence like the file", async () => {
      const other = await test.operator.customer("Other");
      expectRefusal(await other.download("vpn_ip_v1", "mmdb", from(old)), 403, "NOT_LICENSED");
      expectRefusal(await other.checksum("vpn_ip_v1", "mmdb", from(old)), 403, "NOT_LICENSED");
    });

    it("offers only patches to the current build after a rollback, and those that existed before", async () => {
      const offered = async (base: Build) =>
        (await acme.download("vpn_ip_v1", "mmdb", from(base))).headers.get("x-patch-from");
      await rollBack(test.operator.operation(), { versionId: "vpn_ip_v1", to: old.id });
      await test.operator.settle();
      expect([await offered(old), await offered(current)]).toEqual([null, null]);
      await addPatch(old, current);
      expect(await offered(current)).toBe(digestOf(current));
      await rollBack(test.operator.operation(), { versionId: "vpn_ip_v1", to: current.id });
      await test.operator.settle();
      expect([await offered(old), await offered(current)]).toEqual([digestOf(old), null]);
    });
  });
}
