import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { buildMmdb, numbered } from "../../../exporter/test/mmdb/build-mmdb.ts";
import { withdrawBuild } from "../../../server/src/domain/builds/rollback.ts";
import { createKey, revokeKey } from "../../../server/src/domain/keys/keys.ts";
import type { Limits } from "../../../server/src/domain/limits/limits.ts";
import { updateOrganization } from "../../../server/src/domain/organizations/organizations.ts";
import { updateUsage } from "../../../server/src/domain/usage/update.ts";
import { addressBytes, networkText } from "../../src/command/mcp/address.ts";
import { Shell } from "./shell.ts";

const MAIN = join(import.meta.dirname, "../../src/command/main.ts");
const TOOLS = [
  "database_metadata",
  "download_history",
  "download_limits",
  "download_usage",
  "explain_refusal",
  "list_databases",
  "lookup_address",
  "sample_rows",
];

/** An assistant's host that has started `dbdepot mcp`. */
class Host {
  readonly client = new Client({ name: "test", version: "1" });
  /** Everything that it has received. */
  received = "";

  static async start(env: Record<string, string>, cwd: string, argv = ["mcp"]): Promise<Host> {
    const host = new Host();
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, ...argv],
      env,
      cwd,
      stderr: "pipe",
    });
    transport.stderr?.on("data", (text) => {
      host.received += text;
    });
    await host.client.connect(transport);
    return host;
  }

  // biome-ignore lint/suspicious/noExplicitAny: each test knows the tool's result
  async call(name: string, input: object = {}): Promise<any> {
    const result = await this.client.callTool({ name, arguments: { ...input } });
    this.received += JSON.stringify(result);
    expect([name, result.isError ?? false, JSON.stringify(result.content)]).toEqual([name, false, expect.anything()]);
    const [text] = result.content as { text: string }[];
    expect(JSON.parse(text?.text ?? "")).toEqual(result.structuredContent);
    return result.structuredContent;
  }

  async error(name: string, input: object = {}): Promise<string> {
    const result = await this.client.callTool({ name, arguments: { ...input } });
    this.received += JSON.stringify(result);
    expect(result.isError).toBe(true);
    return (result.content as { text: string }[]).map(({ text }) => text).join("\n");
  }
}

for (const stage of eitherStage()) {
  describe(`dbdepot mcp on ${stage.name}`, () => {
    let shell: Shell;
    let host: Host;
    const started: Host[] = [];

    const start = async (more: Record<string, string> = {}) => {
      const another = await Host.start({ ...shell.environment, ...more }, shell.folder);
      started.push(another);
      return another;
    };

    beforeAll(async () => {
      shell = await Shell.open({ DBDEPOT_BRAND_NAME: "Example Data" }, stage);
      const { operator, clock } = shell.test;
      await operator.addDatabase("hosting_provider_v1", { formats: ["csvgz"] });
      await operator.grant("Acme", "hosting_provider");
      await operator.addDatabase("old_ip_v1");
      const starts = clock.now();
      await operator.grant("Acme", "old_ip", { starts, expires: new Date(starts.getTime() + 1000) });
      await shell.publish("vpn_ip_v1");
      await shell.publish("tor_ip_v1");
      for (const id of ["hosting_provider_v1", "old_ip_v1"]) await operator.publish(id);
      await withdrawBuild(operator.operation(), (await operator.publish("bogon_ip_v1")).id);
      await operator.settle();
      clock.advance("60 seconds");
      host = await start();
    });
    afterAll(async () => {
      for (const { client } of started) await client.close();
      const received = started.map((each) => each.received).join("");
      const secret = shell.customer.key.slice("dbd_12345678_".length);
      await shell.dispose();
      expect(received).not.toContain(secret);
    });

    it("offers tools that are all read-only and described", async () => {
      const { tools } = await host.client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual(TOOLS);
      for (const { description, annotations, outputSchema } of tools) {
        expect(description?.length).toBeGreaterThan(50);
        expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
        expect(outputSchema?.type).toBe("object");
      }
      expect(host.client.getInstructions()).toContain("changes and downloads nothing");
      expect(host.client.getInstructions()).toContain('the databases of "Example Data"');
      expect(host.client.getServerVersion()).toMatchObject({ name: "dbdepot", title: "Example Data" });
    });

    it("lists the catalogue with the standing", async () => {
      const { databases } = await host.call("list_databases");
      const standings = databases.map(({ base, standing }: Record<string, string>) => `${base} ${standing}`);
      expect(standings).toEqual([
        "bogon_ip licensed",
        "hosting_provider licensed",
        "old_ip expired",
        "tor_ip unlicensed",
        "vpn_ip licensed",
      ]);
      const own = (await host.call("list_databases", { downloadable_only: true })).databases;
      expect(own.map(({ base }: { base: string }) => base)).toEqual(["bogon_ip", "hosting_provider", "vpn_ip"]);
    });

    it("describes a build with its columns, and shows sample rows", async () => {
      const metadata = await host.call("database_metadata", { id: "vpn_ip_v1" });
      expect(metadata).toMatchObject({ id: "vpn_ip_v1", updated: "2026-11-01", entries: 100 });
      expect(metadata.schema.csvgz).toEqual(["network", "provider"].map((name) => ({ name, type: "string" })));
      const sample = await host.call("sample_rows", { id: "vpn_ip_v1", format: "csvgz" });
      expect(sample.rows).toEqual([{ network: "192.0.2.0/24", provider: 'One, and the "other"' }]);
      // An mmdb has no column for the network.
      const { csvgz: columns } = metadata.schema;
      const rows = [{ provider: 'One, and the "other"' }];
      const overrides = {
        schema: { csvgz: columns, mmdb: columns.slice(1) },
        sample: { csvgz: sample.rows, mmdb: rows },
      };
      await shell.publish("vpn_ip_v1", { overrides, mark: "networks" });
      expect(await host.call("sample_rows", { id: "vpn_ip_v1" })).toMatchObject({ format: "mmdb", rows: sample.rows });
      // Rows that are not those of the csv.gz stay as they are.
      rows[0] = { provider: "Two" };
      await shell.publish("vpn_ip_v1", { overrides, mark: "others" });
      expect((await host.call("sample_rows", { id: "vpn_ip_v1" })).rows).toEqual([{ provider: "Two" }]);
    });

    it("leaves no rows in the history, and shows and filters the rows of downloads", async () => {
      expect((await host.call("download_history")).attempts).toEqual([]);
      await shell.run("download", "vpn_ip_v1", "--to", shell.path("x.mmdb"));
      await shell.customer.download("tor_ip_v1", "mmdb");
      const { attempts } = await host.call("download_history", { limit: 2 });
      expect(attempts.map((row: Record<string, string>) => `${row.dataset_id} ${row.outcome}`)).toEqual([
        "tor_ip_v1 denied",
        "vpn_ip_v1 ok",
      ]);
      const refused = await host.call("download_history", { outcome: "denied", database: "tor_ip_v1" });
      expect(refused.attempts).toHaveLength(1);
      expect((await host.call("download_history", { since: "2126-01-01T00:00:00Z" })).attempts).toEqual([]);
    });

    it.each([
      [{ id: "vpn_ip_v1" }, true, "would be granted", null],
      [{ id: "tor_ip_v1" }, false, "no licence for tor_ip", "ask your vendor for a licence"],
      [{ id: "old_ip_v1" }, false, "the licence for old_ip ended", "ask your vendor to renew it"],
      [{ id: "hosting_provider_v1", format: "mmdb" }, false, "not built as mmdb", "use csvgz"],
      [{ id: "bogon_ip_v1" }, false, "no build", null],
      [{ id: "vpn_ip" }, false, 'no database "vpn_ip"', "use one of these ids: vpn_ip_v1"],
      [{ id: "../etc" }, false, 'no database "../etc"', "use one of these ids: bogon_ip_v1, "],
    ])("explains whether %j would be granted", async (input, granted, reason, advice) => {
      const found = await host.call("explain_refusal", input);
      expect(found).toMatchObject({ granted, reason: expect.stringContaining(reason) });
      if (advice) expect(found.advice).toContain(advice);
      expect(found.key).toMatchObject({ name: "Acme's key", scopes: ["db.download", "apikeys.manage"] });
    });

    it("shows the limits and what is used of them, and explains that one is used up", async () => {
      const limit = async (limits: Partial<Limits>) => {
        await updateOrganization(shell.test.operator.operation(), "Acme", { limits });
        await shell.test.operator.settle();
      };
      expect(await host.call("download_limits")).toEqual({ limits: [] });
      await limit({ downloads_per_day: 1000, bytes_per_month: 1_000_000_000 });
      expect((await host.call("explain_refusal", { id: "vpn_ip_v1" })).granted).toBe(true);
      await limit({ bytes_per_month: 1 });
      const { limits } = await host.call("download_limits");
      expect(limits).toMatchObject([
        { limit: "downloads_per_day", allowed: 1000, resets: expect.any(String) },
        { limit: "bytes_per_month", allowed: 1 },
      ]);
      expect(await host.call("explain_refusal", { id: "vpn_ip_v1", format: "csvgz" })).toMatchObject({
        granted: false,
        reason: expect.stringMatching(/the limit bytes_per_month .* \d+ of 1 are used/),
        advice: `wait until ${limits[1].resets}, or ask your vendor for a higher limit`,
      });
      await limit({ downloads_per_day: null, bytes_per_month: null });
    });

    it("reports usage, and says what is wrong with a period", async () => {
      const { test, customer } = shell;
      await customer.download("tor_ip_v1", "mmdb");
      const update = () => {
        test.clock.advance("120 seconds");
        return updateUsage({ usage: test.service.services.store.usage, clock: test.clock.now, by: "the test" });
      };
      await expect.poll(update).toBe(true);
      const { usage, totals } = await host.call("download_usage", { by: "database" });
      expect(usage).toContainEqual(expect.objectContaining({ dataset_id: "tor_ip_v1", format: "mmdb", closed: false }));
      expect(totals.refused).toBeGreaterThan(0);
      const backwards = { from: "2027-02-01", to: "2027-01-01" };
      expect(await host.error("download_usage", backwards)).toContain("that the end is later than the start");
      expect(await host.error("download_usage", { from: "yesterday" })).toContain("ISO date");
    });

    it("shows the last refused attempts for a database", async () => {
      await shell.customer.download("tor_ip_v1", "mmdb");
      const { recent_refusals: refusals } = await host.call("explain_refusal", { id: "tor_ip_v1" });
      expect(refusals[0]).toMatchObject({ dataset_id: "tor_ip_v1", outcome: "denied" });
      expect((await host.call("explain_refusal", { id: "vpn_ip_v1" })).recent_refusals).toEqual([]);
    });

    it("explains that a key lacks the scope, or was revoked", async () => {
      const { operator } = shell.test;
      const idle = await operator.colleague(shell.customer, { scopes: [] });
      const without = await (await start({ DBDEPOT_CLIENT_KEY: idle.key })).call("explain_refusal", {
        id: "vpn_ip_v1",
      });
      expect(without).toMatchObject({ granted: false, key: { scopes: [] }, recent_refusals: [] });
      expect(without.advice).toContain("add the scope");

      const { organizationId } = shell.customer;
      const terms = { organizationId, name: "gone", scopes: ["db.download"], cidrs: [], expires: null };
      const { key, plain } = await createKey(operator.operation(), terms);
      const gone = await start({ DBDEPOT_CLIENT_KEY: plain.reveal() });
      await revokeKey(operator.operation(), key.id);
      await operator.settle();
      const revoked = await gone.call("explain_refusal", { id: "vpn_ip_v1" });
      expect(revoked).toMatchObject({ granted: false, key: null });
      expect(revoked.reason).toContain("401");
      expect(await gone.error("list_databases")).toMatch(/401 UNAUTHORIZED.*check it and its scopes/);
      expect(JSON.stringify(revoked) + gone.received).not.toContain(plain.reveal());
    });

    it("says what to do about errors and refuses invalid input", async () => {
      expect(await host.error("database_metadata", { id: "tor_ip_v1" })).toMatch(/NOT_LICENSED.*ask your vendor/);
      expect(await host.error("database_metadata", { id: "nope_v1" })).toMatch(/UNKNOWN_DATASET.*dbdepot list/);
      expect(await host.error("sample_rows", { id: "../../x" })).toContain("a database id looks like vpn_ip_v1");
      expect(await host.error("lookup_address", { address: "192.0.2.1", database: "../x" })).toContain("looks like");
      expect(await host.error("download_history", { limit: 100_000 })).toContain("limit");
    });

    it("looks addresses up in the databases that sync downloaded", async () => {
      const address = "192.0.2.1";
      const directory = shell.path("databases");
      await rm(directory, { recursive: true, force: true });
      expect(await host.error("lookup_address", { address })).toContain('run "dbdepot sync <id>');
      await shell.run("sync", "vpn_ip_v1", "--formats", "mmdb");
      const found = await host.call("lookup_address", { address });
      expect(found.directory).toBe(directory);
      expect(found.results).toMatchObject([{ database: "vpn_ip_v1", network: "128.0.0.0/1" }]);
      expect(found.results[0].record).toMatch(/x{100}/);
      expect((await host.call("lookup_address", { address: "10.0.0.1" })).results).toMatchObject([
        { database: "vpn_ip_v1", network: null, record: null },
      ]);

      const { file } = buildMmdb(numbered(["10.0.0.0/8", "10.1.2.3/32", "2001:db8::/32"]));
      await writeFile(join(directory, "mixed_ip_v1.mmdb"), file);
      await writeFile(join(directory, "broken_ip_v1.mmdb"), "not an mmdb");
      await writeFile(join(directory, "empty_ip_v1.mmdb"), "");
      for (const [text, network, row] of [
        ["10.1.2.3", "10.1.2.3/32", 1],
        ["10.200.0.1", "10.128.0.0/9", 0],
        ["::ffff:10.1.2.3", "10.1.2.3/32", 1],
        ["2001:db8:1::1", "2001:db8::/32", 2],
      ] as const) {
        const { results } = await host.call("lookup_address", { address: text, database: "mixed_ip_v1" });
        expect(results).toMatchObject([{ database: "mixed_ip_v1", network, record: { row } }]);
      }
      const { results } = await host.call("lookup_address", { address: "2001:db8::1" });
      expect(results.map((each: Record<string, string>) => [each.database, each.error ?? each.network])).toEqual([
        ["broken_ip_v1", expect.stringContaining('run "dbdepot verify broken_ip_v1"')],
        ["empty_ip_v1", expect.stringContaining("not a valid MMDB file")],
        ["mixed_ip_v1", "2001:db8::/32"],
        ["vpn_ip_v1", "contains only IPv4 addresses"],
      ]);
      expect(await host.error("lookup_address", { address: "example.com" })).toContain("is not an IP address");
    });

    it("starts with the configurations in docs/customers/mcp.md", async () => {
      const page = await readFile(join(import.meta.dirname, "../../../../docs/customers/mcp.md"), "utf8");
      const blocks = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, code = ""]) => JSON.parse(code));
      expect(blocks).toHaveLength(2);
      const keyFile = shell.path("my.key");
      await writeFile(keyFile, `${shell.customer.key}\n`, { mode: 0o600 });
      for (const { mcpServers, servers } of blocks) {
        const { command, args, env } = (mcpServers ?? servers).dbdepot;
        expect({ command, variables: Object.keys(env) }).toEqual({
          command: "dbdepot",
          variables: ["DBDEPOT_CLIENT_URL", "DBDEPOT_CLIENT_KEY_FILE"],
        });
        const variables = { DBDEPOT_CLIENT_URL: shell.customer.apiUrl, DBDEPOT_CLIENT_KEY_FILE: keyFile };
        const configured = await Host.start(variables, shell.folder, args);
        started.push(configured);
        expect((await configured.call("list_databases")).databases).toHaveLength(5);
      }
      const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
      expect(named.sort()).toEqual(TOOLS);
    });

    it("exits with 0 when the host closes the input or sends SIGTERM, and prints nothing else", async () => {
      const closed = shell.spawn(["mcp"]);
      closed.stdin.end();
      expect(await shell.ended(closed)).toEqual({ exitCode: 0, out: "", err: "" });
      const running = shell.spawn(["mcp"]);
      running.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
      await once(running.stdout, "data");
      running.kill("SIGTERM");
      expect(await shell.ended(running)).toMatchObject({ exitCode: 0, err: "" });
    });

    it("answers a line that is not JSON with a parse error, and goes on", async () => {
      const child = shell.spawn(["mcp"]);
      child.stdin.end(`not json\n{"jsonrpc":\n${JSON.stringify(INITIALIZE)}\n`);
      const { exitCode, out } = await shell.ended(child);
      const refused = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } };
      const lines = out.trim().split("\n");
      expect(exitCode).toBe(0);
      expect(lines.slice(0, 2).map((line) => JSON.parse(line))).toEqual([refused, refused]);
      expect(JSON.parse(lines[2] ?? "")).toMatchObject({ id: 1, result: { serverInfo: { name: "dbdepot" } } });
    });

    it("reports missing settings before it starts", async () => {
      const child = shell.spawn(["mcp"], { DBDEPOT_CLIENT_KEY: "" });
      const { exitCode, out, err } = await shell.ended(child);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain('the key is missing: run "dbdepot login"');
    });
  });
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

describe("addresses", () => {
  it.each([
    ["192.0.2.129", 25, "192.0.2.128/25"],
    ["255.255.255.255", 0, "0.0.0.0/0"],
    ["::", 128, "::/128"],
    ["2001:DB8::ff:1", 120, "2001:db8::ff:0/120"],
    ["1:2:3:4:5:6:7:8", 64, "1:2:3:4::/64"],
    ["fe80::1:2", 10, "fe80::/10"],
    ["::ffff:192.0.2.1", 32, "192.0.2.1/32"],
    ["64:ff9b::192.0.2.1", 128, "64:ff9b::c000:201/128"],
  ])("%s is in the network of length %i that it should be in", (address, length, network) => {
    expect(networkText(addressBytes(address) ?? Buffer.alloc(0), length)).toBe(network);
  });

  it.each(["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "fe80::1%eth0", "::g", "example.com"])(
    "%j is not one",
    (text) => {
      expect(addressBytes(text)).toBeUndefined();
    },
  );
});
