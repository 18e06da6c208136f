import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../../../rigs/harness/needs.ts";

const PROGRAM = join(import.meta.dirname, "../../../../bin/dbdepot-server.js");
const SOON = { timeout: 60_000, interval: 200 };

interface Response {
  status: number | undefined;
  body: string;
}

/** The demo in its own process, whose resource limits the test changes while it runs. */
describe("a server on SQLite", needs("Linux", "prlimit"), () => {
  let directory: string;
  let server: ChildProcess;
  let demo: { api_url: string; customers: { key: string }[] };
  // Connections stay open, because the server cannot accept new ones while it has no descriptors left.
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    const env = {
      ...process.env,
      DBDEPOT_DATA_DIR: directory,
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
    };
    server = spawn(process.execPath, [PROGRAM, "demo", "--json"], { env, stdio: ["ignore", "pipe", "ignore"] });
    demo = await new Promise((resolve, reject) => {
      let output = "";
      server.stdout?.on("data", (chunk) => {
        output += chunk;
        // Log lines follow.
        const [, announcement] = /^(\{\n.*?\n\}\n)/s.exec(output) ?? [];
        if (announcement) resolve(JSON.parse(announcement));
      });
      server.on("exit", (code) => reject(new Error(`the server exited with code ${code}`)));
    });
  });
  afterAll(async () => {
    agent.destroy();
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    await exited;
    await rm(directory, { recursive: true });
  });

  function setLimit(limit: `--${string}=${string}`): void {
    // The colon leaves the hard limit alone, so that the soft one can be raised again.
    execFileSync("prlimit", ["--pid", String(server.pid), `${limit}:`]);
  }

  async function send(method: string, path: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${demo.customers[0]?.key}`, "content-type": "application/json" };
    const outgoing = request(demo.api_url + path, { method, agent, headers });
    outgoing.end(body && JSON.stringify(body));
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    return { status: response.statusCode, body: await text(response) };
  }

  const download = () => send("GET", "/api/v2/database/download?id=vpn_ip_v1&format=mmdb");
  const history = () => send("GET", "/api/v2/database/downloads?limit=200");
  const createKey = () => send("POST", "/api/v1/iam/apikeys", { name: "another key" });
  const countHistory = async () => JSON.parse((await history()).body).downloads.length;
  const openFiles = async () => (await readdir(`/proc/${server.pid}/fd`)).length;

  it("recovers after running out of file descriptors", async () => {
    // Eight connections, each used once.
    await Promise.all(Array.from({ length: 8 }, download));
    setLimit(`--nofile=${await openFiles()}`);
    const all = Array.from({ length: 40 }, (_, i) => [download, history, createKey][i % 3]?.());
    await Promise.allSettled(all);
    setLimit("--nofile=1024");
    expect(await createKey()).toMatchObject({ status: 200 });
    expect(await download()).toMatchObject({ status: 302 });
    const before = await countHistory();
    await download();
    expect(await countHistory()).toBe(before + 1);
  });

  it("responds with 503 while the disk is full, leaves nothing in the spool, and recovers", async () => {
    const before = await countHistory();
    // Writing fails after the first 64 bytes of a file, in the middle of a spooled attempt.
    setLimit("--fsize=64");
    const refused = { status: 503, body: '{"rc":"NOT_AVAILABLE"}' };
    expect(await Promise.all([download(), download(), download()])).toEqual([refused, refused, refused]);
    expect(await createKey()).toEqual(refused);
    expect(await readdir(join(directory, "spool"))).toEqual([]);
    setLimit("--fsize=unlimited");
    await expect.poll(async () => (await download()).status, SOON).toBe(302);
    expect(await createKey()).toMatchObject({ status: 200 });
    // The first attempt after an outage may go to the spool.
    await expect.poll(countHistory, SOON).toBe(before + 1);
  });
});
