import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { peakMemoryMb } from "../bench/src/processes.ts";
import { Random } from "../bench/src/random.ts";
import { publish } from "../chaos/builds.ts";
import { DbdepotClient } from "../client/src/client.ts";
import { type Latencies, latenciesOf } from "./latencies.ts";
import { LICENSED, newBuild, Vendor } from "./vendor.ts";

const DEFAULT_RATE_LIMIT = "50:500";
const ERRORS_MAX = 20;
const PROGRESS_EVERY = 1000;

export interface StampedeTerms {
  clients: number;
  /** Each client polls at a random moment of this period after the publication. */
  seconds: number;
}

export interface StampedeReport extends Latencies {
  terms: StampedeTerms;
  sizeBytes: number;
  /** From the publication until the last client had a verified file. */
  finishedSeconds: number;
  peakMb: number;
  errors: string[];
}

/** Publishes a build, and lets every client poll, download and verify it with the client library and a key of its own. */
export async function stampede(terms: StampedeTerms, progress: (line: string) => void): Promise<StampedeReport> {
  await using vendor = await Vendor.open({ DBDEPOT_RATE_LIMIT: DEFAULT_RATE_LIMIT });
  progress(`creating ${terms.clients} keys`);
  const keys = await vendor.addCustomers(terms.clients);
  const random = new Random(1);
  const files = join(vendor.directory, "clients");
  await mkdir(files);
  const clients = keys.map(
    (apiKey, i) => new DbdepotClient({ baseUrl: vendor.server.origin, apiKey, userAgent: `client-${i}` }),
  );
  const { etag } = await (clients[0] as DbdepotClient).metadata(LICENSED);

  const build = await newBuild(LICENSED);
  const buildId = await publish(vendor.operator, LICENSED, build);
  progress(`published; ${terms.clients} clients poll in the next ${terms.seconds} seconds`);
  const errors: string[] = [];
  const began = performance.now();
  let done = 0;
  const sync = async (client: DbdepotClient, i: number): Promise<number> => {
    await delay(random.next() * terms.seconds * 1000);
    const started = performance.now();
    try {
      const polled = await client.metadata(LICENSED, { etag });
      if (!polled.changed || polled.buildId !== buildId) throw new Error(`polled build ${polled.buildId}`);
      const to = join(files, `${i}.mmdb`);
      const { sha256 } = await client.download(LICENSED, "mmdb", { to, build: buildId });
      if (sha256 !== build.digests.mmdb) throw new Error(`downloaded a file with the SHA-256 ${sha256}`);
      await rm(to);
    } catch (error) {
      if (errors.length < ERRORS_MAX) errors.push(`client ${i}: ${(error as Error).message}`);
    }
    done += 1;
    if (done % PROGRESS_EVERY === 0) progress(`${done}/${terms.clients}`);
    return performance.now() - started;
  };
  const durations = await Promise.all(clients.map(sync));
  const finishedSeconds = (performance.now() - began) / 1000;
  errors.push(...(await missing(vendor, terms.clients)));
  const sizeBytes = build.files.mmdb?.length ?? 0;
  return {
    ...latenciesOf(durations),
    terms,
    sizeBytes,
    finishedSeconds,
    peakMb: peakMemoryMb(vendor.server.pid),
    errors,
  };
}

/** Every client must be in the history once. */
async function missing({ operator }: Vendor, clients: number): Promise<string[]> {
  const counts = new Map<string, number>();
  const pages = operator.pages<{ attempts: { user_agent: string | null }[] }>("/api/operator/history?limit=1000");
  for await (const { attempts } of pages) {
    for (const { user_agent: agent } of attempts) if (agent) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  const wrong = Array.from({ length: clients }, (_, i) => `client-${i}`).filter((agent) => counts.get(agent) !== 1);
  return wrong.slice(0, ERRORS_MAX).map((agent) => `${agent} is in the history ${counts.get(agent) ?? 0} times`);
}
