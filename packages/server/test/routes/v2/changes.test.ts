import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { publishRows, randomRows } from "../../domain/builds/publish-rows.ts";

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

    const publish = (rows: string) => publishRows(test.operator, id, rows);

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

    it("counts the rows as a download, with the bytes that were sent, and records refusals of rows only", async () => {
      const limited = await test.operator.customer("Limited");
      await updateOrganization(test.operator.operation(), "Limited", { limits: { downloads_per_day: 2 } });
      expectRefusal(await limited.get(`${URL}&rows=1`), 403, "NOT_LICENSED");
      expectRefusal(await limited.get(URL), 403, "NOT_LICENSED");
      await test.operator.grant("Limited", "vpn_ip");
      for (let i = 0; i < 3; i++) expect((await limited.get(URL)).status).toBe(200);
      const { text } = await limited.get(`${URL}&rows=1`);
      expect((await limited.get(`${URL}&rows=1&format=csvgz`)).status).toBe(200);
      expectRefusal(await limited.get(`${URL}&rows=1`), 429, "DOWNLOADS_USED_UP");
      await limited.get(`${URL}&rows=1`, { authorization: `Bearer ${limited.key}x` });
      const { store, sentBytes } = test.service.services;
      await sentBytes.flush();
      const { organizationId } = limited;
      const attempts = await store.attempts.list({ organizationId, limit: 10 });
      const bytes = text.length;
      expect(attempts).toMatchObject([
        { outcome: "unavailable", cause: "downloads_used_up", datasetId: id, format: "csvgz" },
        { outcome: "ok", httpStatus: 200, buildId: buildIds[1], bytes, sentBytes: bytes, patch: true, format: "csvgz" },
        { outcome: "ok", httpStatus: 200, buildId: buildIds[1], bytes, sentBytes: bytes, patch: true, format: "csvgz" },
        { outcome: "denied", cause: "not_licensed" },
      ]);
      const [unauthorized] = await store.attempts.list({ outcome: "unauthorized", limit: 1 });
      expect(unauthorized).toMatchObject({ datasetId: id, httpStatus: 401 });
    });

    it("refuses rows that are larger than the remaining bytes of the month", async () => {
      const limited = await test.operator.customer("Small");
      await updateOrganization(test.operator.operation(), "Small", { limits: { bytes_per_month: 130 } });
      await test.operator.grant("Small", "vpn_ip");
      const { status, text } = await limited.get(`${URL}&rows=1`);
      expect([status, text.length > 65]).toEqual([200, true]);
      expectRefusal(await limited.get(`${URL}&rows=1`), 429, "BYTES_USED_UP");
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
      const { json, text } = await acme.get(URL);
      expect(json).toMatchObject({ from: { build_id: buildIds[1] }, changes: { added: 0, removed: 2 } });
      // Rows that only the withdrawn build had are no longer shown.
      for (const cell of ["two, renamed", "four", "2001:db8::"]) expect(text).not.toContain(cell);
      expect(json.changes.examples).toEqual({ added: [], removed: [], changed: [] });
    });

    it("does not delay events until the builds are compared", async () => {
      const { store } = test.service.services;
      const events = await store.events.after({ revision: 0, id: "" }, 100);
      const published = events.filter(({ type }) => type === "build.published");
      expect(published.map(({ data }) => (data as { changes?: unknown }).changes)).toEqual(Array(3).fill(null));
    });

    it("returns the rows of files that are read in many chunks, and frees the slot", async () => {
      const large = "large_ip_v1";
      await test.operator.addDatabase(large, { formats: ["csvgz"] });
      await test.operator.grant("Acme", "large_ip");
      const [before, after] = [randomRows(10_000), randomRows(10_000)];
      for (const rows of [before, after]) await publishRows(test.operator, large, rows);
      const { text } = await acme.get(`/api/v2/database/changes?id=${large}&rows=1`);
      expect(text === `op,network,provider\n${after.replaceAll(/^/gm, "changed,").slice(0, -"changed,".length)}`).toBe(
        true,
      );
      await expect.poll(() => test.service.services.rowStreams.size).toBe(0);
    });
  });
}
