import type { OperatorUsageReport } from "@dbdepot/contract/operator/usage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { updateVersion } from "../../../src/domain/catalogue/catalogue.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { updateOrganization } from "../../../src/domain/organizations/organizations.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { robotOf } from "../operator/robot.ts";
import { expectError, filesIn, linesOf, SharedTables } from "./shared-tables.ts";

const VPN = "/shares/vpn_ip/schemas/default/tables/vpn_ip_v1";

for (const stage of eitherStage()) {
  describe(`Delta Sharing on ${stage.name}`, () => {
    let tables: SharedTables;
    beforeAll(async () => {
      tables = await SharedTables.open(stage);
    });
    afterAll(() => tables.dispose());

    it("lists shares, schemas and tables that the caller can read, a page at a time", async () => {
      await tables.addTable("secret_ip_v1", "private");
      await tables.addTable("vpn_ip_v2");
      await tables.test.operator.addDatabase("unlicensed_ip_v1", { formats: ["csvgz"] });
      await tables.test.operator.addDatabase("vpn_ip_v3", { formats: ["csvgz"] });
      await tables.publish("vpn_ip_v1", [["192.0.2.1", "1"]]);
      await tables.publish("vpn_ip_v2", [["192.0.2.1", "1"]]);
      await tables.publish("secret_ip_v1", [["192.0.2.1", "1"]]);
      const [first, second] = [
        { name: "vpn_ip_v1", schema: "default", share: "vpn_ip" },
        { name: "vpn_ip_v2", schema: "default", share: "vpn_ip" },
      ];
      expect((await tables.get("/shares")).json).toEqual({ items: [{ name: "vpn_ip" }] });
      expect((await tables.get("/shares/VPN_IP")).json).toEqual({ share: { name: "vpn_ip" } });
      expect((await tables.get("/shares/vpn_ip/schemas")).json).toEqual({
        items: [{ name: "default", share: "vpn_ip" }],
      });
      for (const path of ["/shares/vpn_ip/all-tables", "/shares/vpn_ip/schemas/default/tables"]) {
        expect((await tables.get(path)).json).toEqual({ items: [first, second] });
        const page = (await tables.get(`${path}?maxResults=1`)).json;
        expect(page).toEqual({ items: [first], nextPageToken: expect.any(String) });
        expect((await tables.get(`${path}?maxResults=1&pageToken=${page.nextPageToken}`)).json).toEqual({
          items: [second],
        });
      }
      expectError(await tables.get("/shares?maxResults=x"), 400, "INVALID_REQUEST");
      const unknown = await tables.get("/shares/no_ip");
      expectError(unknown, 404, "UNKNOWN_DATASET");
      for (const path of ["/shares/secret_ip", "/shares/unlicensed_ip/all-tables", "/shares/vpn_ip/schemas/x/tables"]) {
        expect((await tables.get(path)).text).toBe(unknown.text);
      }
    });

    it("describes the table, and answers in the Parquet format whatever else is asked for", async () => {
      const version = await tables.get(`${VPN}/version`);
      expect([version.status, version.text, version.headers.get("delta-table-version")]).toEqual([200, "", "1"]);
      const asked = { "delta-sharing-capabilities": "responseformat=delta;readerfeatures=deletionvectors" };
      const metadata = await tables.acme.get(`/delta-sharing${VPN}/metadata`, asked);
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
      const again = linesOf(await tables.get("/shares/VPN_IP/schemas/Default/tables/VPN_IP_V1/metadata"));
      expect(again[1].metaData.id).toBe(metaData.id);
    });

    it("sends links to the rows, which work with ranges for hours and name the file", async () => {
      const reply = await tables.post(`${VPN}/query`, { predicateHints: ["asn = 1"], limitHint: 1 });
      expect(await tables.rowsIn(reply)).toEqual([["192.0.2.1", "1"]]);
      const [file] = filesIn(reply);
      expect(file).toMatchObject({ version: 1, stats: '{"numRecords":1}', size: expect.any(Number) });
      expect((file?.expirationTimestamp ?? 0) - tables.test.clock.now().getTime()).toBe(6 * 3600 * 1000);
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
      tables.test.clock.advance("3600 seconds");
      expect((await fetch(file?.url ?? "")).status).toBe(200);
    });

    it("counts a query as one download of the history, which lists it only if asked", async () => {
      const { id, url } = await tables.newTable();
      await tables.publish(id, [["192.0.2.1", "1"]]);
      const build = await tables.publish(id, [["192.0.2.2", "2"]]);
      const [file] = filesIn(await tables.post(`${url}/query`));
      for (let i = 0; i < 3; i++) await fetch(file?.url ?? "");
      await tables.get(`${url}/changes?startingVersion=2`);
      expect((await tables.acme.history()).some(({ dataset_id }) => dataset_id === id)).toBe(false);
      const history = (await tables.acme.history("?tables=true")).filter(({ dataset_id }) => dataset_id === id);
      const common = {
        dataset_id: id,
        format: "parquet",
        outcome: "ok",
        http_status: 200,
        apikey_id: tables.acme.keyId,
      };
      expect(history).toMatchObject([
        { ...common, patch: true },
        { ...common, patch: false, bytes: file?.size },
      ]);
      const [attempt] = await tables.test.service.services.store.attempts.list({ datasetId: id, limit: 1 });
      expect(attempt).toMatchObject({ api: "tables", buildId: build.id });
      const first = (await tables.acme.get("/api/v2/database/downloads?tables=1&limit=1")).headers.get("link") ?? "";
      expect(first).toMatch(/tables=true/);
    });

    it("counts queries in the usage of the customer and of the vendor, by database", async () => {
      const { id, url } = await tables.newTable();
      const { operator } = tables.test;
      const reader = await operator.customer("Reader");
      await operator.grant("Reader", id.slice(0, -3));
      await tables.publish(id, [["192.0.2.1", "1"]]);
      await tables.publish(id, [["192.0.2.1", "2"]]);
      const replies = [
        await tables.post(`${url}/query`, {}, reader),
        await tables.post(`${url.replace(id, id.toUpperCase())}/query`, {}, reader),
        await tables.get(`${url}/changes?startingVersion=2`, reader),
      ];
      const files = replies.flatMap(filesIn);
      for (const file of files) await fetch(file.url);
      await tables.get(`${url}/changes?startingVersion=x`, reader);
      await tables.get(`${url}/version`, reader);
      tables.test.clock.advance("3600 seconds");
      const { usage } = tables.test.service.services.store;
      expect(await updateUsage({ usage, clock: tables.test.clock.now, by: "the test" })).toBe(true);
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
      const robot = await robotOf(tables.test, { scopes: ["operator.read"] });
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
      const { operator } = tables.test;
      const base = id.slice(0, -3);
      if (id === "unlicensed_ip_v1") await updateVersion(operator.operation(), id, { tables: true });
      else if (id === "untabled_ip_v1") await operator.addDatabase(id, { formats: ["csvgz"] });
      else if (id !== "no_ip_v1") await tables.addTable(id, id === "hidden_ip_v1" ? "private" : "public");
      if (["untabled_ip_v1", "empty_ip_v1"].includes(id)) await operator.grant("Acme", base);
      const starts = tables.test.clock.now();
      if (id === "ended_ip_v1") {
        await operator.grant("Acme", base, { starts, expires: new Date(starts.getTime() + 1000) });
      }
      tables.test.clock.advance("10 seconds");
      await operator.settle();
      const url = `/shares/${base}/schemas/default/tables/${id}`;
      for (const path of ["version", "metadata", "changes?startingVersion=1"]) {
        expectError(await tables.get(`${url}/${path}`), status, errorCode);
      }
      expectError(await tables.post(`${url}/query`), status, errorCode);
      const history = (await tables.acme.history("?tables=true")).filter(({ dataset_id }) => dataset_id === id);
      const refused = { outcome, http_status: status, bytes: null, format: "parquet" };
      expect(history).toMatchObject([refused, refused]);
    });

    it("refuses keys without the scope, keys in the URL, and records refused queries", async () => {
      const scopeless = await tables.test.operator.colleague(tables.acme, { scopes: [] });
      const reply = await tables.post(`${VPN}/query`, {}, scopeless);
      expectError(reply, 401, "UNAUTHORIZED");
      expect(reply.headers.get("www-authenticate")).toMatch(/insufficient_scope/);
      expect((await tables.acme.history("?tables=true"))[0]).toMatchObject({
        outcome: "unauthorized",
        dataset_id: "vpn_ip_v1",
        apikey_id: scopeless.keyId,
      });
      expectError(
        await call(`${tables.acme.apiUrl}/delta-sharing/shares?apikey=${tables.acme.key}`),
        401,
        "UNAUTHORIZED",
      );
    });

    it("records in the audit log that tables were turned on, which no query adds to", async () => {
      const { id, url } = await tables.newTable();
      await tables.publish(id, [["192.0.2.1", "1"]]);
      const { audit } = tables.test.service.services.store;
      const [entry] = await audit.list({ subjects: [id], action: "version.updated", limit: 1 });
      expect(entry).toMatchObject({ actor: "test", before: { tables: false }, after: { tables: true } });
      const newest = await audit.list({ limit: 1 });
      expect((await tables.post(`${url}/query`)).status).toBe(200);
      expect(await audit.list({ limit: 1 })).toEqual(newest);
    });

    it("counts queries for the limits of the organization", async () => {
      const { operator } = tables.test;
      const limited = await operator.customer("Limited");
      await operator.grant("Limited", "vpn_ip");
      const limits = { ...NO_LIMITS, downloads_per_day: 1 };
      await updateOrganization(operator.operation(), limited.organizationId, { limits });
      await operator.settle();
      expect((await tables.post(`${VPN}/query`, {}, limited)).status).toBe(200);
      const refused = await tables.post(`${VPN}/query`, {}, limited);
      expectError(refused, 429, "DOWNLOADS_USED_UP");
      expect(refused.headers.has("retry-after")).toBe(true);
      expect((await tables.get(`${VPN}/version`, limited)).status).toBe(200);
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
      const reply = await (method === "POST"
        ? tables.post(`${VPN}/${path}`, input)
        : tables.get(`${VPN}/${path}?${search}`));
      expectError(reply, status, errorCode, message);
    });
  });
}
