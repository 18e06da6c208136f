import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { childrenOf, kill, killGroup } from "../../../../rigs/harness/processes.ts";
import { startLoadBalancer } from "../../../../rigs/harness/servers/nginx.ts";
import { Customer, call } from "../../../../rigs/harness/service/customer.ts";
import { type OpenStage, type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { TestClock } from "../../../../rigs/harness/service/test-clock.ts";
import { Operator } from "../../../../rigs/harness/service/test-service.ts";
import { startService } from "../../src/service/service.ts";
import { startChild } from "../commands/child.ts";
import { headerOf, RawClient, requestText } from "../http/raw-client.ts";

const [, stage] = stages() as [Stage, Stage];
const CONTENT = "x".repeat(300_000);
/** More than the socket buffers of both sides hold. */
const LARGE = "y".repeat(32 * 1024 * 1024);
const CLIENTS = 4;

interface Replica {
  port: number;
  pid(): number | undefined;
  start(): Promise<void>;
  /** Sends SIGTERM to all its processes. Resolves with the exit code. */
  stop(): Promise<number>;
}

describe(`Three servers on ${stage.name}`, needs("nginx"), () => {
  let opened: OpenStage;
  let replicas: Replica[];
  let key: string;

  beforeEach(async () => {
    opened = await stage.open({ DBDEPOT_LOG_LEVEL: "silent" });
    key = await setUp(opened);
    replicas = await Promise.all([1, 2, 3].map(async (number) => replica(opened, number, await freePort())));
    await Promise.all(replicas.map((each) => each.start()));
  });
  afterEach(async () => {
    await Promise.all(replicas.map((each) => each.stop()));
    await opened.dispose();
  });

  it("lose no request when they are restarted one after the other under load", async () => {
    const port = await freePort();
    await using _nginx = await startLoadBalancer(
      port,
      replicas.map((each) => each.port),
    );
    const load = new Load(`http://127.0.0.1:${port}`, key);
    const clients = Array.from({ length: CLIENTS }, () => load.run());
    for (const each of replicas) {
      await load.more();
      expect(await each.stop()).toBe(0);
      await load.more();
      await each.start();
    }
    await load.more();
    load.isOver = true;
    await Promise.all(clients);

    expect(load.unexpected).toEqual([]);
    const service = await startService(opened.settings);
    const attempts = await service.services.store.attempts.list({ limit: 1_000_000 });
    const keys = await new Customer(service.apiUrl, key, { organizationId: "", keyId: "" }).get("/api/v1/iam/apikeys");
    await service.close();
    expect(attempts.map(({ userAgent }) => userAgent).sort()).toEqual(load.downloads.sort());
    const created = keys.json.keys
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => /^load/.test(name));
    expect(created.sort()).toEqual(load.created.sort());
  });

  it("finish running responses on SIGTERM, refuse new connections and say on open ones that they are not ready", async () => {
    const [{ port, stop }] = replicas as [Replica];
    const origin = `http://127.0.0.1:${port}`;
    const open = await RawClient.open(origin);
    expect((await open.send(requestText("/readyz")).response()).status).toBe(200);
    const stream = await openStream(origin, key);
    const exited = stop();
    await expect.poll(() => call(`${origin}/healthz`).catch((error) => error.cause.code)).toBe("ECONNREFUSED");
    const notReady = await open.send(requestText("/readyz")).response();
    expect([notReady.status, headerOf(notReady, "connection")]).toEqual([503, "close"]);
    expect(JSON.parse(notReady.body.toString()).status).toBe("not_ready");
    expect((await buffer(stream)).toString()).toBe(`mmdb ${LARGE}`);
    expect(await exited).toBe(0);
  });
});

describe("Worker processes (DBDEPOT_WORKERS)", needs("Linux"), () => {
  it("finish running responses if they get SIGTERM before their supervisor does, as from systemd", async () => {
    const [sqlite] = stages() as [Stage];
    const opened = await sqlite.open({ DBDEPOT_LOG_LEVEL: "silent" });
    const key = await setUp(opened);
    const port = await freePort();
    const server = replica(opened, 1, port, { DBDEPOT_WORKERS: "2" });
    await server.start();
    const streams = await Promise.all([1, 2, 3, 4].map(() => openStream(`http://127.0.0.1:${port}`, key)));
    const workers = await childrenOf(server.pid());
    expect(workers).toHaveLength(2);
    for (const worker of workers) kill(worker, "SIGTERM");
    await expect
      .poll(() => call(`http://127.0.0.1:${port}/healthz`).catch(({ cause }) => cause.code))
      .toBe("ECONNREFUSED");
    const exited = server.stop();
    for (const stream of streams) expect((await buffer(stream)).length).toBe(`mmdb ${LARGE}`.length);
    expect(await exited).toBe(0);
    await opened.dispose();
  });
});

/** Starts to download a large file and does not read it yet. */
async function openStream(origin: string, key: string): Promise<IncomingMessage> {
  const path = "/api/v2/database/download?id=large_v1&format=mmdb&delivery=stream";
  const request = get(origin + path, { headers: { authorization: `Bearer ${key}` } });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

/** Creates a customer with two databases, and returns its key. */
async function setUp({ settings }: OpenStage): Promise<string> {
  const service = await startService(settings);
  const operator = new Operator(service, new TestClock());
  const { key } = await operator.customer("Acme", { scopes: ["db.download", "apikeys.manage"] });
  for (const [id, content] of [
    ["vpn_ip_v1", CONTENT],
    ["large_v1", LARGE],
  ] as const) {
    await operator.addDatabase(id, { formats: ["mmdb"] });
    await operator.publish(id, content);
    await operator.grant("Acme", id.replace("_v1", ""));
  }
  await service.close();
  return key;
}

/** A server in its own process group, with its own data directory. */
function replica(
  { settings, environment }: OpenStage,
  number: number,
  port: number,
  more: Record<string, string> = {},
): Replica {
  let child: ChildProcessWithoutNullStreams | undefined;
  return {
    port,
    pid: () => child?.pid,
    async start() {
      const variables = {
        ...environment,
        DBDEPOT_DATA_DIR: join(settings.dataDir, `replica-${number}`),
        DBDEPOT_PORT: String(port),
        DBDEPOT_METRICS_PORT: "off",
        DBDEPOT_LOG_LEVEL: "error",
        ...more,
      };
      child = startChild(["serve"], variables, { detached: true });
      child.stdout.resume();
      child.stderr.pipe(process.stderr);
      const status = async () => (await call(`http://127.0.0.1:${port}/readyz`)).status;
      await vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 60_000 });
    },
    async stop() {
      if (!child || child.exitCode !== null) return child?.exitCode ?? 0;
      const exited = once(child, "exit");
      killGroup(child.pid, "SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}

/** Clients that list, poll, download and create keys until `isOver`, over connections that they reuse. */
class Load {
  isOver = false;
  /** Everything that was not the expected response. */
  readonly unexpected: string[] = [];
  /** The user agent of every granted download. */
  readonly downloads: string[] = [];
  /** The name of every key that was created. */
  readonly created: string[] = [];
  readonly #origin: string;
  readonly #key: string;
  #count = 0;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#key = key;
  }

  /** Resolves after some more rounds. */
  async more(): Promise<void> {
    const target = this.#count + 20 * CLIENTS;
    while (this.#count < target) await delay(10);
  }

  async run(): Promise<void> {
    while (!this.isOver) {
      this.#count += 1;
      const name = `load-${this.#count}`;
      await this.#expect(200, "/api/v2/database/list");
      await this.#expect(200, "/api/v2/database/metadata?id=vpn_ip_v1");
      const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb";
      if ((await this.#expect(302, path, { userAgent: `${name}-link` })) !== undefined)
        this.downloads.push(`${name}-link`);
      const body = await this.#expect(200, `${path}&delivery=stream`, { userAgent: `${name}-stream` });
      if (body !== undefined) this.downloads.push(`${name}-stream`);
      if (body !== `mmdb ${CONTENT}`) this.unexpected.push(`${name}: a wrong file`);
      if (this.#count % 5 > 0) continue;
      if ((await this.#expect(200, "/api/v1/iam/apikeys", { newKey: name })) !== undefined) this.created.push(name);
    }
  }

  /** Returns the body, or undefined if the response was another one. */
  async #expect(
    status: number,
    path: string,
    { userAgent = "load", newKey }: { userAgent?: string; newKey?: string } = {},
  ): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${this.#key}`, "user-agent": userAgent };
    const post = newKey !== undefined && {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name: newKey }),
    };
    try {
      const reply = await call(this.#origin + path, { headers, ...post });
      if (reply.status === status) return reply.text;
      this.unexpected.push(`${path}: ${reply.status} ${reply.text}`);
    } catch (error) {
      this.unexpected.push(`${path}: ${error}`);
    }
    return undefined;
  }
}
