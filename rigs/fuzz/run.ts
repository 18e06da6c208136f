import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Api } from "../chaos/api.ts";
import { stage } from "../chaos/builds.ts";
import type { Latencies } from "../harness/latencies.ts";
import { peakMemoryMb } from "../harness/processes.ts";
import { Random } from "../harness/random.ts";
import { createDemo, runCommand, type Server, startServer } from "../harness/server.ts";
import { Callers } from "./callers.ts";
import { heapUsedBytes } from "./heap.ts";
import { checkLog, type LogFindings } from "./log-check.ts";
import { Pool } from "./pool.ts";
import { attack, trickle } from "./raw-sockets.ts";
import { Requests } from "./requests.ts";
import { send } from "./send.ts";
import { SteadyCustomer } from "./steady-customer.ts";
import { describe, isUndeclared, problemOf } from "./verdict.ts";

const CONCURRENCY = 8;
const SLOW_CONNECTIONS = 40;
const RAW_SHARE = 0.05;
const STAGED_BUILDS = 50;
const REFRESH_EVERY = 2_000;
const PROGRESS_EVERY = 5_000;
const VIOLATIONS_MAX = 20;

export interface Options {
  requests: number;
  seed: number;
  /** Number of requests before the heap is first measured. By then, code is compiled and caches are filled. */
  warmUp: number;
  /** How long the steady customer's latency is measured before the run. */
  baselineMs: number;
  /** The pause before the heap is measured, in which connections, timers and streams close. */
  idleMs: number;
  progress(text: string): void;
  /** Ends the run early, with a report. */
  signal: AbortSignal;
}

export interface Report {
  requests: number;
  rawRequests: number;
  slowBytes: number;
  seconds: number;
  statuses: Record<string, number>;
  /** Routes that were never answered with success. */
  neverSucceeded: string[];
  unanswered: number;
  before: Latencies;
  during: Latencies;
  heapBytes: { warm: number; after: number; restarted: number };
  peakMb: number;
  log: LogFindings;
  violations: string[];
}

/** Starts a server with demo data, sends it requests and returns what happened. */
export async function fuzz(options: Options): Promise<Report> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-fuzz-"));
  try {
    return await new Run(directory, options).run();
  } finally {
    await rm(directory, { recursive: true });
  }
}

class Run {
  readonly #data: { dataDir: string };
  readonly #logFile: string;
  readonly #options: Options;
  readonly #random: Random;
  readonly #statuses: Record<string, number> = {};
  readonly #succeeded = new Set<string>();
  readonly #violations: string[] = [];
  #unanswered = 0;
  #raw = 0;

  constructor(directory: string, options: Options) {
    this.#data = { dataDir: join(directory, "data") };
    this.#logFile = join(directory, "log.jsonl");
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<Report> {
    const { requests, warmUp, baselineMs } = this.#options;
    const demo = await createDemo(this.#data);
    const scopes = "operator.read,operator.write,builds.publish";
    const created = await runCommand<{ key: string }>(
      this.#data,
      "keys",
      "create",
      "--name",
      "fuzz",
      "--scopes",
      scopes,
    );
    const server = await this.#start();
    const callers = await Callers.create(server.origin, demo, created.key);
    const steady = new SteadyCustomer(server.origin, callers.steadyKey);
    const before = await steady.poll(AbortSignal.timeout(baselineMs));
    const pool = await poolOf(server.origin, demo.customers[0]?.key ?? "", created.key);
    await this.#fuzz(server, callers, pool, warmUp);
    const warm = await this.#heap();

    const stopped = new AbortController();
    const polling = steady.poll(stopped.signal);
    const trickling = trickle(server.origin, SLOW_CONNECTIONS, stopped.signal);
    const began = performance.now();
    const sent = await this.#fuzz(server, callers, pool, requests, this.#options.signal);
    const seconds = (performance.now() - began) / 1000;
    stopped.abort();
    const [during, slowBytes] = await Promise.all([polling, trickling]);

    await this.#checkProcess(server, callers);
    const after = await this.#heap();
    const peakMb = peakMemoryMb(server.pid);
    await server[Symbol.asyncDispose]();
    const restarted = await this.#restartedHeap(callers, pool);
    const log = await checkLog(this.#logFile, callers.secrets);
    for (const line of log.errors) this.#violation(`error in the log: ${line}`);
    for (const line of log.secrets) this.#violation(`secret in the log: ${line}`);
    for (const failure of steady.failures) this.#violation(`the steady customer failed: ${failure}`);
    if (after > restarted * 1.1) this.#violation(`the heap grew to ${after} bytes, a new process needs ${restarted}`);
    return {
      requests: sent,
      rawRequests: this.#raw,
      slowBytes,
      seconds,
      statuses: this.#statuses,
      neverSucceeded: Requests.routes().filter((route) => !this.#succeeded.has(route)),
      unanswered: this.#unanswered,
      before,
      during,
      heapBytes: { warm, after, restarted },
      peakMb,
      log,
      violations: this.#violations,
    };
  }

  #start(): Promise<Server> {
    const settings = {
      NODE_OPTIONS: "--inspect=127.0.0.1:0",
      DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8",
      DBDEPOT_MAX_KEYS_PER_ORGANIZATION: "1000",
    };
    return startServer({ ...this.#data, settings, logFile: this.#logFile }, { path: "/readyz", headers: {} });
  }

  async #fuzz({ origin }: Server, callers: Callers, pool: Pool, total: number, signal?: AbortSignal): Promise<number> {
    const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
    const requests = new Requests(this.#random, callers, pool);
    const isDone = () => count >= total || signal?.aborted || this.#violations.length >= VIOLATIONS_MAX;
    let count = 0;
    const worker = async () => {
      while (!isDone()) {
        count += 1;
        if (count % PROGRESS_EVERY === 0) this.#options.progress(`${count} of ${total} requests`);
        if (count % REFRESH_EVERY === 0) await callers.refresh();
        if (this.#random.chance(RAW_SHARE)) await this.#attack(origin, callers);
        else await this.#request(origin, agent, requests, callers, pool);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    agent.destroy();
    return count;
  }

  async #request(origin: string, agent: Agent, requests: Requests, callers: Callers, pool: Pool): Promise<void> {
    const request = requests.next();
    const response = await send(origin, agent, request).catch((error: Error) => {
      this.#violation(`${error.message}: ${describe(request)}`);
    });
    if (!response) {
      this.#unanswered += 1;
      return;
    }
    const { status, body } = response;
    this.#count(status);
    if (status < 400) this.#succeeded.add(request.route);
    if (request.method === "POST" && status < 300) pool.learn(request.route.slice("POST ".length), jsonOf(body));
    const problem = problemOf(request, response, callers.secrets);
    if (problem) this.#violation(`${problem}: ${describe(request)}\n→ ${status} ${body.slice(0, 500)}`);
  }

  async #attack(origin: string, callers: Callers): Promise<void> {
    const { attack: name, received } = await attack(origin, this.#random, this.#random.pick([...callers.secrets]));
    this.#raw += 1;
    for (const [, status = ""] of received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
      this.#count(Number(status));
      if (isUndeclared(Number(status), received)) this.#violation(`${status} after ${name}`);
    }
    if ([...callers.secrets].some((secret) => received.includes(secret))) {
      this.#violation(`the response to "${name}" contains a secret: ${received}`);
    }
  }

  async #checkProcess({ pid }: Server, callers: Callers): Promise<void> {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
    if (commandLine === undefined) this.#violation("the server process has exited");
    else if ([...callers.secrets].some((secret) => commandLine.includes(secret))) {
      this.#violation("the title of the process contains a secret");
    }
  }

  async #heap(): Promise<number> {
    await delay(this.#options.idleMs);
    return heapUsedBytes(join(this.#data.dataDir, "stderr.txt"));
  }

  /**
   * Valid requests create organizations, keys and licences, which the server keeps in memory. So the heap after the run
   * is compared to that of a new process with the same data, after as many requests as before the first measurement.
   */
  async #restartedHeap(callers: Callers, pool: Pool): Promise<number> {
    await using server = await this.#start();
    callers.moveTo(server.origin);
    await this.#fuzz(server, callers, pool, this.#options.warmUp);
    return await this.#heap();
  }

  #count(status: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  #violation(text: string): void {
    if (this.#violations.length < VIOLATIONS_MAX) this.#violations.push(text);
  }
}

/** Collects a metadata document and files that requests can damage, and uploads builds that they can publish. */
async function poolOf(origin: string, key: string, operatorKey: string): Promise<Pool> {
  const get = async (path: string) => {
    const response = await fetch(`${origin}/api/v2/database/${path}`, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path} returned ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  };
  const document = await get("metadata?id=vpn_ip_v1");
  const file = (format: string) => get(`download?id=vpn_ip_v1&delivery=stream&format=${format}`);
  const [csvgz, mmdb] = [await file("csvgz"), await file("mmdb")];
  const samples = { sample_csvgz: await file("csvgz&sample=true"), sample_mmdb: await file("mmdb&sample=true") };
  const files = { csvgz, mmdb, ...samples };
  const pool = new Pool(document, { csvgz, mmdb });
  const operator = new Api(origin, operatorKey);
  for (let i = 0; i < STAGED_BUILDS; i += 1) {
    pool.learn("/api/operator/builds", { id: await stage(operator, "vpn_ip_v1", { document, files }) });
  }
  return pool;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
