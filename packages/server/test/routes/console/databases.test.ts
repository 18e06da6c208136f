import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { seed } from "../../../src/commands/demo/seed.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { sampleBuild } from "../../domain/builds/sample-build.ts";
import { type Person, personOf } from "./person.ts";

const run = promisify(execFile);

for (const stage of eitherStage()) {
  describe(`databases in the console on ${stage.name}`, () => {
    let test: TestService;
    let licensed: Person;
    let expired: Person;
    beforeAll(async () => {
      test = await testService(stage);
      const { operator, service } = test;
      await seed({ operation: async () => operator.operation(), objects: service.services.objects }, () => {});
      await operator.settle();
      licensed = await personOf(test, "licensed@example.com", "viewer", "Demo Licensed");
      expired = await personOf(test, "expired@example.com", "viewer", "Demo Expired");
    });
    afterAll(() => test.dispose());

    const lookUp = (person: Person, id: string, address: string) =>
      person.get(`/api/console/databases/${id}/lookup?address=${encodeURIComponent(address)}`);

    it("finds the record of an address, and returns none for an address outside every network", async () => {
      const found = await lookUp(licensed, "bogon_ip_v2", " 10.1.2.3 ");
      expect([found.status, found.json]).toEqual([
        200,
        {
          address: "10.1.2.3",
          network: "10.0.0.0/8",
          record: expect.objectContaining({ rfc: "RFC 1918" }),
          build_id: expect.any(String),
          sample: false,
        },
      ]);
      expect((await lookUp(licensed, "bogon_ip_v2", "2001:DB8::1")).json.network).toBe("2001:db8::/32");
      expect((await lookUp(licensed, "bogon_ip_v2", "8.8.8.8")).json).toMatchObject({ network: null, record: null });
    });

    it("finds the same as mmdblookup", needs("mmdblookup"), async () => {
      const folder = await mkdtemp(join(tmpdir(), "dbdepot-lookup-"));
      const build = test.service.services.register.offer("bogon_ip_v2")?.build;
      const file = await test.service.services.objects.read(build?.files.mmdb?.objectKey ?? "");
      const path = join(folder, "bogon_ip_v2.mmdb");
      await writeFile(path, file);
      for (const address of [
        "0.0.0.0",
        "127.0.0.1",
        "100.64.0.1",
        "192.0.2.9",
        "1.1.1.1",
        "::1",
        "fe80::1",
        "2600::",
      ]) {
        const output = await run("mmdblookup", ["--file", path, "--ip", address]).catch(({ code }) => ({
          stdout: "",
          code,
        }));
        const { record } = (await lookUp(licensed, "bogon_ip_v2", address)).json;
        expect([address, record]).toEqual([address, fromMmdblookup(output.stdout)]);
      }
      await rm(folder, { recursive: true });
    });

    it("looks in the sample without a licence, and refuses if there is no sample", async () => {
      const { json } = await lookUp(expired, "vpn_ip_v1", "192.0.2.1");
      expect(json.sample).toBe(true);
      expectRefusal(await lookUp(expired, "bogon_ip_v2", "10.0.0.1"), 403, "NOT_LICENSED");
      expectRefusal(await lookUp(licensed, "bogon_asn_v1", "10.0.0.1"), 400, "INVALID_FORMAT");
      expectRefusal(await lookUp(licensed, "vpn_ip_v2", "10.0.0.1"), 503, "NOT_AVAILABLE");
      for (const id of ["pilot_ip_v1", "never_ip_v1"]) {
        expectRefusal(await lookUp(expired, id, "10.0.0.1"), 404, "UNKNOWN_DATASET");
      }
    });

    it("describes every visible database without a licence, and no other", async () => {
      const { json } = await expired.get("/api/console/databases");
      const ids = json.builds.map(({ id }: { id: string }) => id);
      expect(ids).toEqual([
        "bogon_asn_v1",
        "bogon_ip_v1",
        "bogon_ip_v2",
        "hosting_provider_v1",
        "tor_ip_v1",
        "vpn_ip_v1",
      ]);
      expect(json.builds[2].columns).toEqual(["network", "name", "rfc", "forwardable"]);
      const { status, json: metadata } = await expired.get("/api/console/databases/bogon_ip_v2/metadata");
      expect(status).toBe(200);
      expect(metadata).toEqual((await licensed.get("/api/v2/database/metadata?id=bogon_ip_v2")).json);
      expectRefusal(await expired.get("/api/v2/database/metadata?id=bogon_ip_v2"), 403, "NOT_LICENSED");
      expectRefusal(await expired.get("/api/console/databases/pilot_ip_v1/metadata"), 404, "UNKNOWN_DATASET");
      expectRefusal(await expired.get("/api/console/databases/vpn_ip_v2/metadata"), 503, "NOT_AVAILABLE");
    });

    it("explains that a text is not an IP address", async () => {
      for (const address of ["", "10.0.0", "010.0.0.1", "10.0.0.0/8", "example.com", "1"]) {
        const { status, json } = await lookUp(licensed, "bogon_ip_v2", address);
        expect([address, status, json.rc]).toEqual([address, 400, "INVALID_REQUEST"]);
        expect(json.message).toContain("is not an IP address");
      }
    });

    it("lists the builds of a version with rows, sizes and checksums, newest first", async () => {
      const { operator, service } = test;
      await operator.addDatabase("history_ip_v1");
      await operator.grant("Demo Licensed", "history_ip");
      for (const rows of [100, 120]) {
        const { document, files } = sampleBuild("history_ip_v1", { rows });
        const sources = Object.fromEntries(
          Object.entries(files).map(([kind, bytes]) => [
            kind,
            (async function* () {
              yield bytes;
            })(),
          ]),
        );
        const publisher = { operation: async () => operator.operation(), objects: service.services.objects };
        await publishFiles(publisher, { versionId: "history_ip_v1", document, files: sources, force: false });
      }
      await operator.settle();
      const { status, json } = await licensed.get("/api/console/databases/history_ip_v1");
      expect(status).toBe(200);
      expect(json.builds).toMatchObject([
        { entries: 120, current: true, available: true, updated: "2026-11-01" },
        { entries: 100, current: false, available: true },
      ]);
      const checksum = await licensed.get("/api/v2/database/checksum?id=history_ip_v1&format=mmdb");
      expect(json.builds[0].files.mmdb.checksums).toEqual(checksum.json.checksums);
      expectRefusal(await expired.get("/api/console/databases/history_ip_v1"), 403, "NOT_LICENSED");
      expectRefusal(await expired.get("/api/console/databases/vpn_ip_v1"), 403, "LICENSE_EXPIRED");
      expectRefusal(await expired.get("/api/console/databases/pilot_ip_v1"), 404, "UNKNOWN_DATASET");
    });
  });
}

/** Its output is JSON with types instead of commas: `"name": "Loopback" <utf8_string>`. */
function fromMmdblookup(output: string): unknown {
  if (output.trim() === "") return null;
  const text = output.replaceAll(/ <\w+>/g, ",").replaceAll(/,(\s*[}\]])/g, "$1");
  return JSON.parse(text);
}
