import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { Customer, call } from "../../../../rigs/harness/service/customer.ts";
import { BUILT_COMMAND } from "../commands/child.ts";

const SOURCE = join(import.meta.dirname, "faulty-system.c");
const HOUR_SECONDS = 3600;
/** Readiness is checked every five seconds. */
const SOON = { timeout: 30_000, interval: 500 };
const { EIO, ENOSPC, EROFS } = constants.errno;

/** The demo in its own process, on SQLite and disk storage, with a library between it and the operating system. */
describe("A server", needs("Linux", "cc"), () => {
  let directory: string;
  let server: ChildProcess;
  let acme: Customer;

  function setFaults({ errno = 0, clockSeconds = 0 }: { errno?: number; clockSeconds?: number }): void {
    writeFileSync(join(directory, "faults"), `${errno} ${clockSeconds}`);
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    const library = join(directory, "faulty-system.so");
    execFileSync("cc", ["-shared", "-fPIC", "-o", library, SOURCE]);
    setFaults({});
    const env = {
      ...process.env,
      LD_PRELOAD: library,
      FAULTY_SYSTEM: join(directory, "faults"),
      DBDEPOT_DATA_DIR: join(directory, "data"),
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
    };
    server = spawn(process.execPath, [BUILT_COMMAND, "demo", "--json"], { env, stdio: ["ignore", "pipe", "ignore"] });
    const demo = await demoOf(server);
    acme = new Customer(demo.api_url, demo.customers[0]?.key ?? "", { organizationId: "", keyId: "" });
  });
  afterEach(() => setFaults({}));
  afterAll(async () => {
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    await exited;
    await rm(directory, { recursive: true });
  });

  const createKey = () =>
    call(`${acme.apiUrl}/api/v1/iam/apikeys`, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "another key" }),
    });
  const historyLength = async () => (await acme.history("?limit=200")).length;
  const readiness = async () => {
    const { status, json } = await call(`${acme.apiUrl}/readyz`);
    return [status, json.history.state];
  };
  const followedDownload = async () => {
    const { status, headers } = await acme.download("vpn_ip_v1", "mmdb");
    return [status, (await fetch(headers.get("location") ?? "")).status];
  };

  it.each([
    ["has I/O errors", EIO],
    ["is read-only", EROFS],
    ["is full", ENOSPC],
  ])("whose disk %s returns 503, serves what needs no write, leaves nothing behind, and recovers", async (_, errno) => {
    const before = await historyLength();
    setFaults({ errno });
    for (const reply of [await acme.download("vpn_ip_v1", "mmdb"), await createKey()]) {
      expect([reply.status, reply.text]).toEqual([503, '{"rc":"NOT_AVAILABLE"}']);
    }
    expect((await acme.list()).status).toBe(200);
    expect((await acme.metadata("vpn_ip_v1")).status).toBe(200);
    await expect.poll(readiness, SOON).toEqual([503, "unwritable"]);
    expect(await readdir(join(directory, "data/spool"))).toEqual([]);
    setFaults({});
    await expect.poll(readiness, SOON).toEqual([200, "ok"]);
    await expect.poll(async () => (await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    expect((await createKey()).status).toBe(200);
    // The first attempt after an outage may go to the spool.
    await expect.poll(historyLength).toBe(before + 1);
  });

  it.each([
    ["forwards", HOUR_SECONDS],
    ["backwards", -HOUR_SECONDS],
  ])("whose clock jumps %s by an hour and back keeps serving, and loses nothing", async (_, clockSeconds) => {
    const before = await historyLength();
    expect(await followedDownload()).toEqual([302, 200]);
    setFaults({ clockSeconds });
    // Node.js caches the date of its responses for up to a second.
    const date = async () => Date.parse((await acme.list()).headers.get("date") ?? "");
    await expect.poll(async () => Math.abs((await date()) - Date.now())).toBeGreaterThan(HOUR_SECONDS * 500);
    expect(await followedDownload()).toEqual([302, 200]);
    const created = await createKey();
    expect(created.status).toBe(200);
    setFaults({});
    expect(await followedDownload()).toEqual([302, 200]);
    await expect.poll(historyLength).toBe(before + 3);
    expect((await acme.get("/api/v1/iam/apikeys")).text).toContain(created.json.id);
  });
});

interface Demo {
  api_url: string;
  customers: { key: string }[];
}

function demoOf(server: ChildProcess): Promise<Demo> {
  return new Promise((resolve, reject) => {
    let output = "";
    server.stdout?.on("data", (chunk) => {
      output += chunk;
      // Log lines follow.
      const [, announcement] = /^(\{\n.*?\n\}\n)/s.exec(output) ?? [];
      if (announcement) resolve(JSON.parse(announcement));
    });
    server.on("exit", (code) => reject(new Error(`the server exited with code ${code}`)));
  });
}
