import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type Latencies, latenciesOf } from "../harness/latencies.ts";
import { Connections } from "./connections.ts";
import { Mix } from "./mix.ts";
import { LICENSED, Vendor } from "./vendor.ts";

const SHARE_OF_MAXIMUM = 0.8;
const TICK_MS = 10;
const ERRORS_MAX = 20;

export interface SteadyTerms {
  connections: number;
  /** How long the maximum rate is measured, after a warm-up of the same length. */
  saturatedSeconds: number;
  intervals: number;
  intervalSeconds: number;
}

/** One interval of the run, such as a minute. */
interface Interval extends Latencies {
  residentMb: number;
}

export interface SteadyReport {
  terms: SteadyTerms;
  /** Requests per second, when every connection sends its next request at once. */
  maximum: number;
  /** Requests per second during the intervals. */
  rate: number;
  intervals: Interval[];
  errors: string[];
}

/** Sends the mix at 80 % of the highest rate that the server can sustain. */
export async function steady(terms: SteadyTerms, progress: (line: string) => void): Promise<SteadyReport> {
  await using vendor = await Vendor.open();
  progress(`creating ${terms.connections} keys`);
  const mix = await mixOf(vendor, terms.connections);
  using connections = new Connections(terms.connections);
  const clients = new Clients(mix, connections);
  progress("measuring the maximum");
  await clients.saturate(terms.connections, terms.saturatedSeconds);
  const maximum = await clients.saturate(terms.connections, terms.saturatedSeconds);
  const rate = maximum * SHARE_OF_MAXIMUM;
  progress(`${Math.round(maximum)} requests per second at most, continuing with ${Math.round(rate)}`);
  const intervals: Interval[] = [];
  for (let i = 0; i < terms.intervals && clients.errors.length === 0; i += 1) {
    const latencies = latenciesOf(await clients.sendAtRate(rate, terms.intervalSeconds));
    const interval = { ...latencies, residentMb: await residentMb(vendor.server.pid) };
    intervals.push(interval);
    progress(`${i + 1}/${terms.intervals}: p99 ${interval.p99Ms.toFixed(1)} ms, ${Math.round(interval.residentMb)} MB`);
  }
  return { terms, maximum, rate, intervals, errors: clients.errors };
}

async function mixOf(vendor: Vendor, customers: number): Promise<Mix> {
  const keys = await vendor.addCustomers(customers);
  const customer = vendor.operator.withKey(keys[0] ?? "");
  const etag = (await customer.send(`/api/v2/database/metadata?id=${LICENSED}`)).headers.get("etag") ?? "";
  return new Mix(vendor.server.origin, { keys, etag, legacyKey: await vendor.addLegacyKey() });
}

class Clients {
  readonly errors: string[] = [];
  readonly #mix: Mix;
  readonly #connections: Connections;

  constructor(mix: Mix, connections: Connections) {
    this.#mix = mix;
    this.#connections = connections;
  }

  /** Every connection sends its next request when it has received a response. Returns the requests per second. */
  async saturate(count: number, seconds: number): Promise<number> {
    const deadline = performance.now() + seconds * 1000;
    let responses = 0;
    const client = async () => {
      for (; performance.now() < deadline; responses += 1) await this.#exchange();
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: count }, client));
    return responses / ((performance.now() - began) / 1000);
  }

  /**
   * Sends requests at a constant rate, whether or not the server keeps up. Returns the milliseconds from when each
   * request was due until its response had arrived.
   */
  async sendAtRate(rate: number, seconds: number): Promise<number[]> {
    const began = performance.now();
    const exchanges: Promise<number>[] = [];
    for (;;) {
      const elapsedSeconds = (performance.now() - began) / 1000;
      if (elapsedSeconds > seconds) return Promise.all(exchanges);
      while (exchanges.length < elapsedSeconds * rate)
        exchanges.push(this.#timed(began + (exchanges.length / rate) * 1000));
      await delay(TICK_MS);
    }
  }

  async #timed(dueMs: number): Promise<number> {
    await this.#exchange();
    return performance.now() - dueMs;
  }

  async #exchange(): Promise<void> {
    const { kind, url, headers, status } = this.#mix.next();
    try {
      const outcome = await this.#connections.send(url, headers);
      if (outcome.status !== status) this.#error(`${kind}: ${outcome.status} instead of ${status}`);
      else if (outcome.location) this.#mix.learn(outcome.location);
    } catch (error) {
      this.#error(`${kind}: ${(error as Error).message}`);
    }
  }

  #error(text: string): void {
    if (this.errors.length < ERRORS_MAX) this.errors.push(text);
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}
