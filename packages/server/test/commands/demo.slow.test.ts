import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { Reader } from "mmdb-lib";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { Customer, call } from "../../../../rigs/harness/service/customer.ts";
import { filesUnder } from "../../../../rigs/harness/service/stages.ts";
import { startService } from "../../src/service/service.ts";
import { parseSettings } from "../../src/settings/settings.ts";

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL("../../bin/dbdepot-server.js", import.meta.url));

interface Demo {
  api_url: string;
  objects_url: string;
  customers: { standing: string; key: string }[];
  legacy: string;
  sign_in_links: { person: string; link: string }[];
}

describe("dbdepot-server demo", () => {
  let folder: string;
  let running: ChildProcess | undefined;
  /** The output of the running demo. */
  let printedByRunning: Demo;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-demo-test-"));
  });
  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  function launch(...options: string[]): ChildProcess {
    return spawn(process.execPath, [PROGRAM, "demo", ...options], {
      env: {
        ...programEnvironment(),
        DBDEPOT_DATA_DIR: join(folder, "data"),
        DBDEPOT_PORT: "0",
        DBDEPOT_OBJECTS_PORT: "0",
        DBDEPOT_METRICS_PORT: "off",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async function start(...options: string[]): Promise<Demo> {
    await stop();
    running = launch("--json", ...options);
    let printed = "";
    for await (const chunk of running.stdout ?? []) {
      printed += chunk;
      if (!printed.endsWith("\n}\n")) continue;
      printedByRunning = JSON.parse(printed);
      return printedByRunning;
    }
    throw new Error(`the demo exited: ${printed}`);
  }

  /** The demo of an earlier test, for tests that only read. */
  async function runningDemo(): Promise<Demo> {
    return running ? printedByRunning : start();
  }

  /** Starts a demo or another command that must exit with 1, and returns its message. */
  async function refusal(settings: Record<string, string>, command = ["demo", "--reset"]): Promise<string> {
    const child = spawn(process.execPath, [PROGRAM, ...command], {
      env: { ...programEnvironment(), DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0", ...settings },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const exited = once(child, "exit");
    const message = await text(child.stderr);
    expect(message.trimEnd().split("\n")).toHaveLength(1);
    expect((await exited)[0]).toBe(1);
    return message;
  }

  async function stop(): Promise<void> {
    if (!running) return;
    const exited = once(running, "exit");
    // Signals twice, as Ctrl+C in "npm start" does: npm forwards a signal that the terminal has sent already.
    running.kill("SIGINT");
    running.kill("SIGTERM");
    const [code] = await exited;
    running = undefined;
    expect(code).toBe(0);
  }

  function customer(demo: Demo, standing: string): Customer {
    const key = demo.customers.find((candidate) => candidate.standing === standing)?.key ?? "";
    return new Customer(demo.api_url, key, { organizationId: "", keyId: "" });
  }

  async function fetchFile(customer: Customer, id: string, format: string): Promise<Buffer> {
    const reply = await customer.download(id, format);
    expect([id, format, reply.status]).toEqual([id, format, 302]);
    return Buffer.from(await (await fetch(reply.headers.get("location") ?? "")).arrayBuffer());
  }

  it("prints links that sign in as an operator and as a customer, once", async () => {
    const { api_url: apiUrl, sign_in_links: links } = await start();
    expect(links.map(({ person }) => person)).toEqual(["operator", "customer"]);
    for (const { person, link } of links) {
      expect(link.split("#")[0]).toBe(`${apiUrl}/console/accept`);
      const { json, headers } = await accept(apiUrl, link);
      expect(json).toMatchObject({ demo: true, account: { role: person === "operator" ? "operator" : "admin" } });
      const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
      const path = person === "operator" ? "/api/operator/organizations" : "/api/v2/database/list";
      expect((await call(apiUrl + path, { headers: { cookie } })).status).toBe(200);
      expect((await accept(apiUrl, link)).status).toBe(410);
    }
  });

  it("serves readable files with matching metadata, and one organization of each standing", async () => {
    const demo = await runningDemo();
    const licensed = customer(demo, "licensed");
    const { databases } = (await licensed.list()).json;
    const ids = databases.flatMap(({ versions }: { versions: { id: string }[] }) => versions.map(({ id }) => id));
    expect(ids).toEqual([
      "bogon_asn_v1",
      "bogon_ip_v1",
      "bogon_ip_v2",
      "hosting_ip_v1",
      "hosting_provider_v1",
      "pilot_ip_v1",
      "relay_ip_v1",
      "tor_ip_v1",
      "vpn_ip_v1",
    ]);
    expect((await licensed.download("relay_ip_v1", "mmdb")).json).toEqual({ rc: "NOT_LICENSED" });
    for (const id of ids.filter((each: string) => each !== "relay_ip_v1")) {
      const metadata = (await licensed.metadata(id)).json;
      const csvgz = await fetchFile(licensed, id, "csvgz");
      const lines = gunzipSync(csvgz).toString().trimEnd().split("\n");
      expect(lines.length - 1).toBe(metadata.entries);
      expect(lines[0]?.split(",")).toEqual(metadata.schema.csvgz.map(({ name }: { name: string }) => name));
      expect(csvgz.length).toBe(metadata.size.csvgz);
      if (metadata.size.mmdb === undefined) continue;
      const mmdb = await fetchFile(licensed, id, "mmdb");
      expect(mmdb.length).toBe(metadata.size.mmdb);
      expect(new Reader(mmdb).metadata.databaseType).toBe(id);
    }
    const bogons = new Reader(await fetchFile(licensed, "bogon_ip_v1", "mmdb"));
    expect(bogons.get("10.1.2.3")).toEqual({ name: "Private use" });
    expect(bogons.get("8.8.8.8")).toBeNull();
    expect(bogons.get("fe80::1")).toEqual({ name: "Link local" });

    const responses: [string, number, string | undefined][] = [];
    for (const { standing } of demo.customers) {
      const reply = await customer(demo, standing).download("vpn_ip_v1", "mmdb");
      responses.push([standing, reply.status, reply.json?.rc]);
    }
    expect(responses).toEqual([
      ["licensed", 302, undefined],
      ["evaluating", 302, undefined],
      ["expired", 403, "LICENSE_EXPIRED"],
      ["unlicensed", 403, "NOT_LICENSED"],
    ]);
    expect((await licensed.download("vpn_ip_v2", "mmdb")).json).toEqual({ rc: "NOT_AVAILABLE" });
    expect((await customer(demo, "unlicensed").download("pilot_ip_v1", "mmdb")).json).toEqual({
      rc: "UNKNOWN_DATASET",
    });
  });

  it("has a week of builds that change by about 1 %, twelve customers, a history with refusals and a failing webhook", async () => {
    const demo = await start();
    const licensed = customer(demo, "licensed");
    const { changes, from, to } = (await licensed.get("/api/v2/database/changes?id=hosting_ip_v1")).json;
    expect([from.updated < to.updated, changes.key]).toEqual([true, ["network"]]);
    const share = (changes.added + changes.removed + changes.changed) / to.entries;
    expect([share > 0.005, share < 0.02, to.entries > 19_000]).toEqual([true, true, true]);

    const [operator] = demo.sign_in_links;
    const { headers } = await accept(demo.api_url, operator?.link ?? "");
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const get = async (path: string) => (await call(`${demo.api_url}/api/${path}`, { headers: { cookie } })).json;
    const { builds } = await get("operator/builds?version=hosting_ip_v1");
    expect(builds.map(({ updated }: { updated: string }) => updated)).toHaveLength(7);
    expect((await get("operator/organizations")).organizations).toHaveLength(12);
    const { keys } = await get("operator/keys?search=production");
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(key.last_used).not.toBeNull();
    const { days } = await get("console/usage");
    const sum = (name: string) =>
      days.reduce((total: number, day: Record<string, number>) => total + (day[name] ?? 0), 0);
    expect([sum("ok") > 500, sum("refused") > 50]).toEqual([true, true]);
    const { usage } = await get("operator/usage?by=database&search=demo");
    const saved = usage.filter(({ saved_bytes }: { saved_bytes: number }) => saved_bytes > 0);
    expect(new Set(saved.map(({ dataset_id }: { dataset_id: string }) => dataset_id))).toEqual(
      new Set(["hosting_ip_v1"]),
    );
    const patches = async () => (await get("operator/builds?version=hosting_ip_v1")).builds[0].patches;
    await expect.poll(async () => (await patches()).length, { timeout: 60_000 }).toBeGreaterThan(2);
    for (const patch of await patches()) expect(patch.size_bytes).toBeLessThan(builds[0].files.mmdb.size_bytes);
    const { webhooks } = await get("operator/webhooks");
    const deliveries = await get(`operator/webhooks/${webhooks[0].id}/deliveries`);
    expect(deliveries.deliveries[0]).toMatchObject({ outcome: "failed", http_status: null });
  });

  it("has an open family, an evaluation that ends soon, and a contract that renews", async () => {
    const demo = await runningDemo();
    const entry = async (standing: string, base: string) =>
      (await customer(demo, standing).list()).json.databases.find((family: { base: string }) => family.base === base);
    expect(await entry("unlicensed", "bogon_asn")).toMatchObject({ open: true, standing: "unlicensed" });
    expect((await customer(demo, "unlicensed").download("bogon_asn_v1", "csvgz")).status).toBe(302);

    const days = (time: string) => Math.round((Date.parse(time) - Date.now()) / 86_400_000);
    const evaluation = await entry("evaluating", "vpn_ip");
    expect([evaluation.license_type, days(evaluation.expires)]).toEqual(["evaluation", 9]);
    const contract = await entry("licensed", "vpn_ip");
    expect([days(contract.renews_at), days(contract.notice_due_at)]).toEqual([335, 245]);
  });

  it("serves the same data with new keys after a restart, revokes the old keys, and stores no secret on disk", async () => {
    const first = await start();
    const build = (await customer(first, "licensed").metadata("tor_ip_v1")).headers.get("etag");
    const second = await start();
    expect((await customer(second, "licensed").metadata("tor_ip_v1")).headers.get("etag")).toBe(build);
    for (const { key } of first.customers) {
      expect((await call(`${second.api_url}/api/v2/database/list`, { headers: { "x-api-key": key } })).status).toBe(
        401,
      );
    }
    const onDisk = await filesUnder(folder);
    for (const secret of [...second.customers.map(({ key }) => key), second.legacy]) {
      expect(onDisk.includes(secret)).toBe(false);
    }
  });

  /** Serves the demo's data without the demo, and returns the status of a request with each of its credentials. */
  async function serveAfter(demo: Demo): Promise<number[]> {
    const settings = parseSettings({
      DBDEPOT_DATA_DIR: join(folder, "data"),
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
    });
    const service = await startService(settings, { log: pino({ level: "silent" }) });
    try {
      const list = `${service.apiUrl}/api/v2/database/list`;
      const legacy = `${service.apiUrl}/api/v1/database/download?id=bogon_ip_v1&format=csvgz&apikey=${demo.legacy}`;
      const responses = await Promise.all([
        ...demo.customers.map(({ key }) => call(list, { headers: { "x-api-key": key } })),
        call(legacy),
        ...demo.sign_in_links.map(({ link }) => accept(service.apiUrl, link)),
      ]);
      return responses.map(({ status }) => status);
    } finally {
      await service.close();
    }
  }

  function accept(apiUrl: string, link: string) {
    return call(`${apiUrl}/api/console/links/accept`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: link.split("#token=")[1] }),
    });
  }

  it("ends its keys and links when it stops, so that serve accepts none of them", async () => {
    const demo = await start();
    await stop();
    expect(await serveAfter(demo)).toEqual([401, 401, 401, 401, 401, 410, 410]);
  });

  it.each(["1", "2"])(
    "is not served by %s processes after it was killed, until its credentials are removed",
    async (workers) => {
      const demo = await start();
      const killed = once(running as ChildProcess, "exit");
      running?.kill("SIGKILL");
      await killed;
      running = undefined;
      const settings = {
        DBDEPOT_DATA_DIR: join(folder, "data"),
        DBDEPOT_PORT: "0",
        DBDEPOT_OBJECTS_PORT: "0",
        DBDEPOT_WORKERS: workers,
      };
      expect(await refusal(settings, ["serve"])).toContain('run "dbdepot-server demo --remove-credentials"');
      const { stdout } = await run(process.execPath, [PROGRAM, "demo", "--remove-credentials"], {
        env: { ...process.env, ...settings },
      });
      expect(stdout).toBe("Ended the demo's credentials. Keys revoked: 5. Accounts disabled: 2.\n");
      expect(await serveAfter(demo)).toEqual([401, 401, 401, 401, 401, 410, 410]);
    },
  );

  it("reports all ports that are in use at once", async () => {
    const demo = await runningDemo();
    const [port, objectsPort] = [demo.api_url, demo.objects_url].map((url) => new URL(url).port);
    const message = await refusal({
      DBDEPOT_DATA_DIR: join(folder, "other"),
      DBDEPOT_PORT: String(port),
      DBDEPOT_OBJECTS_PORT: String(objectsPort),
    });
    expect(message).toContain(
      `cannot listen on 127.0.0.1:${port} and 127.0.0.1:${objectsPort}: the ports are in use (EADDRINUSE); stop the other processes, or set DBDEPOT_PORT and DBDEPOT_OBJECTS_PORT to other ports`,
    );
  });

  it("signs its builds", async () => {
    const demo = await runningDemo();
    const { keys } = (await call(`${demo.api_url}/.well-known/dbdepot-keys.json`)).json;
    const signed = await customer(demo, "licensed").get("/api/v2/database/manifest?id=tor_ip_v1");
    expect(signed.json).toMatchObject({ sequence: 1, key_id: keys[0].key_id });
  });

  it("publishes new builds with --reset", async () => {
    const before = (await customer(await start(), "licensed").metadata("tor_ip_v1")).headers.get("etag");
    const after = (await customer(await start("--reset"), "licensed").metadata("tor_ip_v1")).headers.get("etag");
    expect(after).not.toBe(before);
  });

  it("prints commands that work when pasted into a shell", needs("curl"), async () => {
    await stop();
    running = launch();
    let printed = "";
    for await (const chunk of running.stdout ?? []) {
      printed += chunk;
      if (printed.includes("Ctrl+C")) break;
    }
    const commands = printed.split("Try it in another terminal:\n")[1]?.split("Press Ctrl+C")[0] ?? "";
    const cwd = await mkdtemp(join(folder, "shell-"));
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", commands], { cwd });
    const sha256 = /^([0-9a-f]{64}) {2}bogon_ip_v2\.csv\.gz$/m.exec(stdout)?.[1];
    expect(stdout).toContain('"standing":"licensed"');
    expect(stdout).toContain(`"sha256":"${sha256}"`);
    expect(stdout).toContain('"outcome":"ok"');
  });

  it("refuses a data directory that it did not create, and leaves it unchanged", async () => {
    await stop();
    await rm(join(folder, "data"), { recursive: true });
    const foreign = await mkdtemp(join(folder, "foreign-"));
    await writeFile(join(foreign, "precious"), "data");
    expect(await refusal({ DBDEPOT_DATA_DIR: foreign })).toContain("did not create");
    expect(await filesUnder(foreign)).toBe("data");
  });

  it.each([
    ["DBDEPOT_DATABASE_URL", "sqlite:/srv/dbdepot.sqlite"],
    ["DBDEPOT_OBJECTS_URL", "file:///srv/objects"],
    ["DBDEPOT_SIGNING_KEYS_DIR", "/srv/keys"],
  ])("refuses to use what %s names outside of its data directory", async (name, value) => {
    expect(await refusal({ DBDEPOT_DATA_DIR: join(folder, "other"), [name]: value })).toContain("unset DBDEPOT");
  });
});
