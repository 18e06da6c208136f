import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { sampleBuild } from "../../domain/builds/sample-build.ts";

const id = "vpn_ip_v1";
const URL = "/api/v2/database/changes?id=vpn_ip_v1";
const DAYS = [
  "192.0.2.0/24,one\n198.51.100.0/24,two\n203.0.113.0/24,three\n",
  '192.0.2.0/24,one\n198.51.100.0/24,"two, renamed"\n2001:db8::/32,four\n',
  "192.0.2.0/24,one\n",
];

for (const stage of stages()) {
  describe(`GET /api/v2/database/changes on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let stranger: Customer;
    const buildIds: string[] = [];

    async function publish(rows: string): Promise<string> {
      const { objects } = test.service.services;
      const csvgz = gzipSync(`network,provider\n${rows}`);
      const entries = rows.split("\n").length - 1;
      const overrides = { entries, size: { csvgz: csvgz.length } };
      const { document } = sampleBuild(id, { formats: ["csvgz"], overrides });
      async function* source() {
        yield csvgz;
      }
      const { build } = await publishFiles(
        { operation: async () => test.operator.operation(), objects },
        { versionId: id, document, files: { csvgz: source() }, force: true },
      );
      await test.operator.settle();
      return build.id;
    }

    beforeAll(async () => {
      test = await testService(stage);
      const { operator } = test;
      acme = await operator.customer("Acme");
      stranger = await operator.customer("Stranger");
      await operator.addDatabase(id, { formats: ["csvgz"] });
      await operator.grant("Acme", "vpn_ip");
      for (const rows of DAYS.slice(0, 2)) buildIds.push(await publish(rows));
    });
    afterAll(() => test.dispose());

    it("compares the current build with the one that it replaced", async () => {
      const { status, json, headers } = await acme.get(URL);
      expect([status, headers.get("x-build-id")]).toEqual([200, buildIds[1]]);
      expect(json).toMatchObject({
        id,
        from: { build_id: buildIds[0], entries: 3 },
        to: { build_id: buildIds[1], entries: 3 },
        reason: null,
        changes: { added: 1, removed: 1, changed: 1, unchanged: 1, key: ["network"], repeated_keys: 0 },
      });
      expect(json.changes.examples.changed).toEqual([
        {
          before: { network: "198.51.100.0/24", provider: "two" },
          after: { network: "198.51.100.0/24", provider: "two, renamed" },
        },
      ]);
    });

    it("returns the rows as CSV with an op column", async () => {
      const { text, headers } = await acme.get(`${URL}&rows=1&from=${buildIds[0]}&to=${buildIds[1]}`);
      expect(headers.get("content-type")).toContain("text/csv");
      expect(text).toBe(
        [
          "op,network,provider",
          'changed,198.51.100.0/24,"two, renamed"',
          "removed,203.0.113.0/24,three",
          "added,2001:db8::/32,four\n",
        ].join("\n"),
      );
    });

    it("compares any two builds that are kept, also backwards", async () => {
      buildIds.push(await publish(DAYS[2] ?? ""));
      const skipped = await acme.get(`${URL}&from=${buildIds[0]}`);
      expect(skipped.json.changes).toMatchObject({ added: 0, removed: 2, changed: 0, unchanged: 1 });
      const back = await acme.get(`${URL}&from=${buildIds[1]}&to=${buildIds[0]}`);
      expect(back.json.changes).toMatchObject({ added: 1, removed: 1, changed: 1 });
    });

    it("says that the first build has nothing to compare with", async () => {
      const { json } = await acme.get(`${URL}&to=${buildIds[0]}`);
      expect(json).toMatchObject({ from: null, changes: null, reason: "this is the first build" });
      expectRefusal(await acme.get(`${URL}&to=${buildIds[0]}&rows=1`), 409, "NOT_COMPARABLE");
    });

    it("refuses whoever may not download the database", async () => {
      expectRefusal(await stranger.get(URL), 403, "NOT_LICENSED");
      expectRefusal(await stranger.get(`${URL}&sample=1&rows=1`), 403, "NOT_LICENSED");
      expectRefusal(await acme.get("/api/v2/database/changes?id=nothing_v1"), 404, "UNKNOWN_DATASET");
      expectRefusal(await acme.get(`${URL}&format=mmdb`), 400, "INVALID_FORMAT");
      expectRefusal(await acme.get(`${URL}&from=nothing`), 404, "UNKNOWN_BUILD");
      expectRefusal(await acme.get(`${URL}&to=nothing`), 404, "UNKNOWN_BUILD");
    });

    it("returns 410 BUILD_GONE with the oldest build if the build to compare with is no longer kept", async () => {
      await acme.get(URL);
      await withdrawBuild(test.operator.operation(), buildIds[1] ?? "");
      await test.operator.settle();
      const gone = await acme.get(`${URL}&from=${buildIds[1]}`);
      expect([gone.status, gone.json]).toEqual([410, { rc: "BUILD_GONE", oldest_build_id: buildIds[0] }]);
      expect((await acme.get(`${URL}&rows=1`)).status).toBe(410);
      // The summary was made while the build was kept.
      expect((await acme.get(URL)).json).toMatchObject({ from: { build_id: buildIds[1] }, changes: { removed: 2 } });
    });

    it("does not delay events until the builds are compared", async () => {
      const { store } = test.service.services;
      const events = await store.events.after({ revision: 0, id: "" }, 100);
      const published = events.filter(({ type }) => type === "build.published");
      expect(published.map(({ data }) => (data as { changes?: unknown }).changes)).toEqual(Array(3).fill(null));
    });
  });
}
