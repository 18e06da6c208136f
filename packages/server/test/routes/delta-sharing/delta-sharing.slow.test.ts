import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperatorUsageReport } from "@dbdepot/contract/operator/usage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../../src/domain/builds/build.ts";
import { publishFiles } from "../../../src/domain/builds/publishing/publish-files.ts";
import { removeSurplus } from "../../../src/domain/builds/retention.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { updateVersion } from "../../../src/domain/catalogue/catalogue.ts";
import type { JobContext } from "../../../src/domain/jobs/runner.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { tableRemovalJob } from "../../../src/domain/sharing/removal.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { rowsOf } from "../../domain/sharing/duckdb.ts";
import { tableBuild } from "../../domain/sharing/table-build.ts";
import { robotOf } from "../operator/robot.ts";

const COLUMNS = { ip: "ip", asn: "uint32" };
const VPN = "/shares/vpn_ip/schemas/default/tables/vpn_ip_v1";

for (const stage of eitherStage()) {
  describe(`Delta Sharing on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let directory: string;
    let count = 0;

    beforeAll(async () => {
      test = await testService(stage);
      directory = await mkdtemp(join(tmpdir(), "dbdepot-tables-"));
      const { operator } = test;
      acme = await operator.customer("Acme");
      await addTable("vpn_ip_v1");
      await operator.grant("Acme", "vpn_ip");
    });
    afterAll(async () => {
      await test.dispose();
      await rm(directory, { recursive: true });
    });

    async function addTable(id: string, visibility: "public" | "private" = "public"): Promise<void> {
      await test.operator.addDatabase(id, { visibility, formats: ["csvgz"] });
      await updateVersion(test.operator.operation(), id, { tables: true });
      await test.operator.settle();
    }

    /** A table of its own, which Acme may read. Returns its URL. */
    async function newTable(): Promise<{ id: string; url: string }> {
      count += 1;
      const base = `some${count}_ip`;
      await addTable(`${base}_v1`);
      await test.operator.grant("Acme", base);
      return { id: `${base}_v1`, url: `/shares/${base}/schemas/default/tables/${base}_v1` };
    }

    /** Publishes a build and waits until the table has it. */
    async function publish(id: string, rows: readonly string[][]): Promise<Build> {
      test.clock.advance("10 seconds");
      const { objects } = test.service.services;
      const { document, files } = tableBuild(id, COLUMNS, rows);
      const sources = Object.fromEntries(Object.entries(files).map(([kind, bytes]) => [kind, inOneChunk(bytes)]));
      const { build } = await publishFiles(
        { operation: async () => test.operator.operation(), objects },
        { versionId: id, document, files: sources, force: true },
      );
      await written(build);
      return build;
    }

    async function written(build: Build): Promise<void> {
      const { jobs, store } = test.service.services;
      jobs.wake();
      await expect
        .poll(async () => (await store.sharing.latest(build.versionId))?.buildId, { timeout: 60_000, interval: 50 })
        .toBe(build.id);
      await test.operator.settle();
    }

    /** Marks the builds before the newest ones as removed. */
    async function removeOthers(current: Build, keep = 1): Promise<void> {
      const later = new Date(test.clock.now().getTime() + 86_400_000);
      const removed = await test.service.services.store.change((tables) =>
        removeSurplus(tables, current, { keep, linkTtlSeconds: 900 }, later),
      );
      expect(removed).not.toEqual([]);
    }

    /** Does what a server does regularly with files that are no longer offered. */
    async function removeFiles(): Promise<void> {
      const { objects, store } = test.service.services;
      const { tableLinkTtlSeconds: linkTtlSeconds } = test.stage.settings;
      const { run } = tableRemovalJob({ store, objects, clock: test.clock.now, linkTtlSeconds });
      await run({}, { signal: AbortSignal.timeout(60_000) } as JobContext);
      expect(await store.sharing.unneeded()).toEqual([]);
    }

    const get = (path: string, customer = acme): Promise<Reply> => customer.get(`/delta-sharing${path}`);
    const post = (path: string, body: object = {}, customer = acme): Promise<Reply> =>
      call(`${customer.apiUrl}/delta-sharing${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${customer.key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });

    const linesOf = ({ text }: Reply) =>
      text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
    const filesIn = (reply: Reply) =>
      linesOf(reply)
        .slice(2)
        .map((line) => Object.values(line)[0] as File);

    interface File {
      url: string;
      id: string;
      size: number;
      stats: string;
      version: number;
      timestamp: number;
      expirationTimestamp: number;
    }

    /** The rows behind the links of a response. */
    async function rowsIn(reply: Reply): Promise<(string | null)[][]> {
      expect(reply.status).toBe(200);
      const rows: (string | null)[][] = [];
      for (const { url, id, size } of filesIn(reply)) {
        const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
        expect(bytes.length).toBe(size);
        const path = join(directory, `${id}.parquet`);
        await writeFile(path, bytes);
        rows.push(...(await rowsOf([path])));
      }
      return rows;
    }

    function expectError(reply: Reply, status: number, errorCode: string, message: unknown = expect.any(String)): void {
      expect([reply.status, reply.json]).toEqual([status, { errorCode, message }]);
    }

    it("lists shares, schemas and tables that the caller can read, a page at a time", async () => {
      await addTable("secret_ip_v1", "private");
      await addTable("vpn_ip_v2");
      await test.operator.addDatabase("unlicensed_ip_v1", { formats: ["csvgz"] });
      await test.operator.addDatabase("vpn_ip_v3", { formats: ["csvgz"] });
      await publish("vpn_ip_v1", [["192.0.2.1", "1"]]);
      await publish("vpn_ip_v2", [["192.0.2.1", "1"]]);
      await publish("secret_ip_v1", [["192.0.2.1", "1"]]);
      const [first, second] = [
        { name: "vpn_ip_v1", schema: "default", share: "vpn_ip" },
        { name: "vpn_ip_v2", schema: "default", share: "vpn_ip" },
      ];
      expect((await get("/shares")).json).toEqual({ items: [{ name: "vpn_ip" }] });
      expect((await get("/shares/VPN_IP")).json).toEqual({ share: { name: "vpn_ip" } });
      expect((await get("/shares/vpn_ip/schemas")).json).toEqual({ items: [{ name: "default", share: "vpn_ip" }] });
      for (const path of ["/shares/vpn_ip/all-tables", "/shares/vpn_ip/schemas/default/tables"]) {
        expect((await get(path)).json).toEqual({ items: [first, second] });
        const page = (await get(`${path}?maxResults=1`)).json;
        expect(page).toEqual({ items: [first], nextPageToken: expect.any(String) });
        expect((await get(`${path}?maxResults=1&pageToken=${page.nextPageToken}`)).json).toEqual({ items: [second] });
      }
      expectError(await get("/shares?maxResults=x"), 400, "INVALID_REQUEST");
      const unknown = await get("/shares/no_ip");
      expectError(unknown, 404, "UNKNOWN_DATASET");
      for (const path of ["/shares/secret_ip", "/shares/unlicensed_ip/all-tables", "/shares/vpn_ip/schemas/x/tables"]) {
        expect((await get(path)).text).toBe(unknown.text);
      }
    });

    it("describes the table, and answers in the Parquet format whatever else is asked for", async () => {
      const version = await get(`${VPN}/version`);
      expect([version.status, version.text, version.headers.get("delta-table-version")]).toEqual([200, "", "1"]);
      const asked = { "delta-sharing-capabilities": "responseformat=delta;readerfeatures=deletionvectors" };
      const metadata = await acme.get(`/delta-sharing${VPN}/metadata`, asked);
      expect(metadata.headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
      expect(metadata.headers.get("delta-sharing-capabilities")).toBe("responseformat=parquet");
      expect(metadata.headers.get("delta-table-version")).toBe("1");
      const [protocol, { metaData }] = linesOf(metadata);
      expect(protocol).toEqual({ protocol: { minReaderVersion: 1 } });
      expect(metaData).toMatchObject({
        name: "vpn_ip_v1",
        description: "What vpn_ip_v1 contains",
        format: { provider: "parquet" },
        partitionColumns: [],
        configuration: { enableChangeDataFeed: "true" },
        numFiles: 1,
        size: expect.any(Number),
      });
      expect(JSON.parse(metaData.schemaString)).toEqual({
        type: "struct",
        fields: [
          { name: "ip", type: "string", nullable: true, metadata: {} },
          { name: "asn", type: "long", nullable: true, metadata: {} },
        ],
      });
      const again = linesOf(await get("/shares/VPN_IP/schemas/Default/tables/VPN_IP_V1/metadata"));
      expect(again[1].metaData.id).toBe(metaData.id);
    });

    it("sends links to the rows, which work with ranges for hours and name the file", async () => {
      const reply = await post(`${VPN}/query`, { predicateHints: ["asn = 1"], limitHint: 1 });
      expect(await rowsIn(reply)).toEqual([["192.0.2.1", "1"]]);
      const [file] = filesIn(reply);
      expect(file).toMatchObject({ version: 1, stats: '{"numRecords":1}', size: expect.any(Number) });
      expect((file?.expirationTimestamp ?? 0) - test.clock.now().getTime()).toBe(6 * 3600 * 1000);
      const part = await fetch(file?.url ?? "", { headers: { range: "bytes=0-3" } });
      expect([part.status, await part.text()]).toEqual([206, "PAR1"]);
      expect(part.headers.get("content-disposition")).toBe('attachment; filename="vpn_ip_v1.parquet"');
      const footer = await fetch(file?.url ?? "", { headers: { range: "bytes=-4" } });
      expect([footer.status, await footer.text()]).toEqual([206, "PAR1"]);
      const size = String(file?.size);
      expect([footer.headers.get("content-range"), footer.headers.get("content-length")]).toEqual([
        `bytes ${Number(size) - 4}-${Number(size) - 1}/${size}`,
        "4",
      ]);
      const head = await fetch(file?.url ?? "", { method: "HEAD" });
      // The method is part of the signature of S3.
      if (stage.name.endsWith("S3")) expect(head.status).toBe(403);
      else {
        expect([head.status, head.headers.get("content-length")]).toEqual([200, size]);
        expect(head.headers.get("accept-ranges")).toBe("bytes");
      }
      test.clock.advance("3600 seconds");
      expect((await fetch(file?.url ?? "")).status).toBe(200);
    });

    it("counts a query as one download of the history, which lists it only if asked", async () => {
      const { id, url } = await newTable();
      await publish(id, [["192.0.2.1", "1"]]);
      const build = await publish(id, [["192.0.2.2", "2"]]);
      const [file] = filesIn(await post(`${url}/query`));
      for (let i = 0; i < 3; i++) await fetch(file?.url ?? "");
      await get(`${url}/changes?startingVersion=2`);
      expect((await acme.history()).some(({ dataset_id }) => dataset_id === id)).toBe(false);
      const history = (await acme.history("?tables=true")).filter(({ dataset_id }) => dataset_id === id);
      const common = { dataset_id: id, format: "parquet", outcome: "ok", http_status: 200, apikey_id: acme.keyId };
      expect(history).toMatchObject([
        { ...common, patch: true },
        { ...common, patch: false, bytes: file?.size },
      ]);
      const [attempt] = await test.service.services.store.attempts.list({ datasetId: id, limit: 1 });
      expect(attempt).toMatchObject({ api: "tables", buildId: build.id });
      const first = (await acme.get("/api/v2/database/downloads?tables=1&limit=1")).headers.get("link") ?? "";
      expect(first).toMatch(/tables=true/);
    });

    it("counts queries in the usage of the customer and of the vendor, by database", async () => {
      const { id, url } = await newTable();
      const { operator } = test;
      const reader = await operator.customer("Reader");
      await operator.grant("Reader", id.slice(0, -3));
      await publish(id, [["192.0.2.1", "1"]]);
      await publish(id, [["192.0.2.1", "2"]]);
      const replies = [
        await post(`${url}/query`, {}, reader),
        await post(`${url.replace(id, id.toUpperCase())}/query`, {}, reader),
        await get(`${url}/changes?startingVersion=2`, reader),
      ];
      const files = replies.flatMap(filesIn);
      for (const file of files) await fetch(file.url);
      await get(`${url}/changes?startingVersion=x`, reader);
      await get(`${url}/version`, reader);
      test.clock.advance("3600 seconds");
      const { usage } = test.service.services.store;
      expect(await updateUsage({ usage, clock: test.clock.now, by: "the test" })).toBe(true);
      const line = {
        dataset_id: id,
        format: "parquet",
        first_downloads: 1,
        repeats: 2,
        refused: 1,
        bytes: files.reduce((sum, { size }) => sum + size, 0),
        saved_bytes: 0,
        keys: 1,
        addresses: 1,
      };
      const { json } = await reader.get("/api/v2/database/usage?by=database");
      expect(json.usage).toEqual([{ ...line, period: null, closed: false }]);
      const robot = await robotOf(test, { scopes: ["operator.read"] });
      const report = await robot.request<OperatorUsageReport>("GET", "/usage?by=database&org=Reader");
      expect(report.usage).toMatchObject([{ ...line, organization_name: "Reader" }]);
    });

    it.each([
      ["unlicensed_ip_v1", 403, "NOT_LICENSED", "denied"],
      ["ended_ip_v1", 403, "LICENSE_EXPIRED", "expired"],
      ["hidden_ip_v1", 404, "UNKNOWN_DATASET", "unknown"],
      ["untabled_ip_v1", 404, "UNKNOWN_DATASET", "unknown"],
      ["no_ip_v1", 404, "UNKNOWN_DATASET", "unknown"],
      ["empty_ip_v1", 503, "NOT_AVAILABLE", "unavailable"],
    ])("refuses %s with %i %s, in the order of a download", async (id, status, errorCode, outcome) => {
      const { operator } = test;
      const base = id.slice(0, -3);
      if (id === "unlicensed_ip_v1") await updateVersion(operator.operation(), id, { tables: true });
      else if (id === "untabled_ip_v1") await operator.addDatabase(id, { formats: ["csvgz"] });
      else if (id !== "no_ip_v1") await addTable(id, id === "hidden_ip_v1" ? "private" : "public");
      if (["untabled_ip_v1", "empty_ip_v1"].includes(id)) await operator.grant("Acme", base);
      const starts = test.clock.now();
      if (id === "ended_ip_v1") {
        await operator.grant("Acme", base, { starts, expires: new Date(starts.getTime() + 1000) });
      }
      test.clock.advance("10 seconds");
      await operator.settle();
      const url = `/shares/${base}/schemas/default/tables/${id}`;
      for (const path of ["version", "metadata", "changes?startingVersion=1"]) {
        expectError(await get(`${url}/${path}`), status, errorCode);
      }
      expectError(await post(`${url}/query`), status, errorCode);
      const history = (await acme.history("?tables=true")).filter(({ dataset_id }) => dataset_id === id);
      const refused = { outcome, http_status: status, bytes: null, format: "parquet" };
      expect(history).toMatchObject([refused, refused]);
    });

    it("refuses keys without the scope, keys in the URL, and records refused queries", async () => {
      const scopeless = await test.operator.colleague(acme, { scopes: [] });
      const reply = await post(`${VPN}/query`, {}, scopeless);
      expectError(reply, 401, "UNAUTHORIZED");
      expect(reply.headers.get("www-authenticate")).toMatch(/insufficient_scope/);
      expect((await acme.history("?tables=true"))[0]).toMatchObject({
        outcome: "unauthorized",
        dataset_id: "vpn_ip_v1",
        apikey_id: scopeless.keyId,
      });
      expectError(await call(`${acme.apiUrl}/delta-sharing/shares?apikey=${acme.key}`), 401, "UNAUTHORIZED");
    });

    it("records in the audit log that tables were turned on, which no query adds to", async () => {
      const { id, url } = await newTable();
      await publish(id, [["192.0.2.1", "1"]]);
      const { audit } = test.service.services.store;
      const [entry] = await audit.list({ subjects: [id], action: "version.updated", limit: 1 });
      expect(entry).toMatchObject({ actor: "test", before: { tables: false }, after: { tables: true } });
      const newest = await audit.list({ limit: 1 });
      expect((await post(`${url}/query`)).status).toBe(200);
      expect(await audit.list({ limit: 1 })).toEqual(newest);
    });

    it("counts queries for the limits of the organization", async () => {
      const { operator } = test;
      const limited = await operator.customer("Limited");
      await operator.grant("Limited", "vpn_ip");
      const limits = { ...NO_LIMITS, downloads_per_day: 1 };
      await updateOrganization(operator.operation(), limited.organizationId, { limits });
      await operator.settle();
      expect((await post(`${VPN}/query`, {}, limited)).status).toBe(200);
      const refused = await post(`${VPN}/query`, {}, limited);
      expectError(refused, 429, "DOWNLOADS_USED_UP");
      expect(refused.headers.has("retry-after")).toBe(true);
      expect((await get(`${VPN}/version`, limited)).status).toBe(200);
    });

    it("reads earlier versions by number and by time, and the changes between them", async () => {
      const { id, url } = await newTable();
      await publish(id, [
        ["192.0.2.1", "1"],
        ["192.0.2.2", "2"],
      ]);
      const between = new Date(test.clock.now().getTime() + 5000).toISOString();
      await publish(id, [
        ["192.0.2.1", "10"],
        ["192.0.2.3", ""],
      ]);
      expect(await rowsIn(await post(`${url}/query`))).toEqual([
        ["192.0.2.1", "10"],
        ["192.0.2.3", null],
      ]);
      const earlier = await post(`${url}/query`, { version: 1 });
      expect(earlier.headers.get("delta-table-version")).toBe("1");
      expect(linesOf(earlier)[1].metaData.version).toBe(1);
      expect(await rowsIn(earlier)).toEqual([
        ["192.0.2.1", "1"],
        ["192.0.2.2", "2"],
      ]);
      expect(await rowsIn(await post(`${url}/query`, { timestamp: between }))).toHaveLength(2);
      const since = await get(`${url}/version?startingTimestamp=${encodeURIComponent(between)}`);
      expect(since.headers.get("delta-table-version")).toBe("2");
      const changes = [
        ["192.0.2.1", "1", "update_preimage"],
        ["192.0.2.1", "10", "update_postimage"],
        ["192.0.2.2", "2", "delete"],
        ["192.0.2.3", null, "insert"],
      ];
      expect(await rowsIn(await get(`${url}/changes?startingVersion=2`))).toEqual(changes);
      expect(await rowsIn(await get(`${url}/changes?startingTimestamp=${between}`))).toEqual(changes);
      const all = await get(`${url}/changes?startingVersion=0&endingVersion=99`);
      expect(
        linesOf(all)
          .slice(2)
          .map((line) => [Object.keys(line)[0], (Object.values(line)[0] as File).version]),
      ).toEqual([
        ["add", 1],
        ["cdf", 2],
      ]);
      expect(await rowsIn(await get(`${url}/changes?startingVersion=1&endingTimestamp=${between}`))).toHaveLength(2);
    });

    it.each([
      ["POST", "query", { version: 9 }, 404, "UNKNOWN_BUILD", "The table has no version 9: its versions are 1 to 1."],
      ["POST", "query", { timestamp: "2000-01-01T00:00:00Z" }, 404, "UNKNOWN_BUILD", undefined],
      ["POST", "query", { timestamp: "yesterday" }, 400, "INVALID_REQUEST", undefined],
      ["POST", "query", { startingVersion: 1 }, 400, "INVALID_REQUEST", undefined],
      ["POST", "query", { version: "one" }, 400, "INVALID_REQUEST", undefined],
      ["GET", "changes", {}, 400, "INVALID_REQUEST", "startingVersion or startingTimestamp is missing."],
      ["GET", "changes", { startingVersion: "x" }, 400, "INVALID_REQUEST", undefined],
      ["GET", "changes", { startingVersion: "2" }, 404, "UNKNOWN_BUILD", undefined],
      ["GET", "changes", { startingTimestamp: "2999-01-01T00:00:00Z" }, 404, "UNKNOWN_BUILD", undefined],
      ["GET", "version", { startingTimestamp: "2999-01-01T00:00:00Z" }, 404, "UNKNOWN_BUILD", undefined],
      ["GET", "version", { startingTimestamp: "soon" }, 400, "INVALID_REQUEST", undefined],
    ])("answers %s %s with %j by %i %s", async (method, path, input, status, errorCode, message) => {
      const search = new URLSearchParams(input as Record<string, string>);
      const reply = await (method === "POST" ? post(`${VPN}/${path}`, input) : get(`${VPN}/${path}?${search}`));
      expectError(reply, status, errorCode, message);
    });

    it.each([
      ["a publish", ["192.0.2.3", "3"]],
      ["a rollback", ["192.0.2.1", "1"]],
      ["the withdrawal of its build", ["192.0.2.1", "1"]],
      ["the removal of its build", ["192.0.2.4", "4"]],
    ])("lets a reader that started before %s finish with the old version", async (event, newest) => {
      const { id, url } = await newTable();
      const first = await publish(id, [["192.0.2.1", "1"]]);
      const second = await publish(id, [["192.0.2.2", "2"]]);
      const started = await post(`${url}/query`);
      if (event === "a publish") await publish(id, [["192.0.2.3", "3"]]);
      else if (event === "the removal of its build") {
        await publish(id, [["192.0.2.3", "3"]]);
        await removeOthers(await publish(id, [["192.0.2.4", "4"]]));
      } else {
        const operation = test.operator.operation();
        await (event === "a rollback" ? rollBack(operation, { versionId: id }) : withdrawBuild(operation, second.id));
        await written(first);
      }
      await removeFiles();
      expect(await rowsIn(started)).toEqual([["192.0.2.2", "2"]]);
      expect(await rowsIn(await post(`${url}/query`))).toEqual([newest]);
    });

    it("continues after a rollback with a new version and the changes that lead to it", async () => {
      const { id, url } = await newTable();
      const first = await publish(id, [["192.0.2.1", "1"]]);
      await publish(id, [["192.0.2.1", "2"]]);
      await rollBack(test.operator.operation(), { versionId: id });
      await written(first);
      const reply = await post(`${url}/query`);
      expect(reply.headers.get("delta-table-version")).toBe("3");
      expect(await rowsIn(reply)).toEqual([["192.0.2.1", "1"]]);
      expect(await rowsIn(await get(`${url}/changes?startingVersion=3`))).toEqual([
        ["192.0.2.1", "2", "update_preimage"],
        ["192.0.2.1", "1", "update_postimage"],
      ]);
    });

    it("never sends rows of a withdrawn build, and names the version to start from", async () => {
      const { id, url } = await newTable();
      const first = await publish(id, [["192.0.2.1", "1"]]);
      const second = await publish(id, [["192.0.2.66", "2"]]);
      await withdrawBuild(test.operator.operation(), second.id);
      await written(first);
      expectError(
        await post(`${url}/query`, { version: 2 }),
        410,
        "VERSION_GONE",
        "Version 2 is no longer kept. The oldest version that can be read is 1.",
      );
      expectError(
        await get(`${url}/changes?startingVersion=2`),
        410,
        "VERSION_GONE",
        "The changes of version 3 are not kept (the previous build was withdrawn). Load the whole table, and start from version 4 once it exists.",
      );
      expect(await rowsIn(await post(`${url}/query`))).toEqual([["192.0.2.1", "1"]]);
      await publish(id, [["192.0.2.1", "4"]]);
      expectError(
        await get(`${url}/changes?startingVersion=1`),
        410,
        "VERSION_GONE",
        "The changes of version 3 are not kept (the previous build was withdrawn). The oldest version to start from is 4.",
      );
      expect(await rowsIn(await get(`${url}/changes?startingVersion=4`))).toHaveLength(2);
    });

    it("names the oldest version after builds were removed", async () => {
      const { id, url } = await newTable();
      for (const asn of ["1", "2", "3"]) await publish(id, [["192.0.2.1", asn]]);
      test.clock.advance("2 days");
      await removeOthers(await publish(id, [["192.0.2.1", "4"]]), 2);
      const reply = await post(`${url}/query`, { version: 1 });
      expectError(reply, 410, "VERSION_GONE", "Version 1 is no longer kept. The oldest version that can be read is 3.");
      const changes = await get(`${url}/changes?startingVersion=1`);
      expectError(
        changes,
        410,
        "VERSION_GONE",
        "The changes of version 2 are not kept. The oldest version to start from is 3.",
      );
      expect(await rowsIn(await get(`${url}/changes?startingVersion=3`))).toHaveLength(4);
    });
  });
}

async function* inOneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
