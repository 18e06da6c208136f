import { setTimeout as delay } from "node:timers/promises";
import { type PreparedBuild, publish, sha256 } from "../chaos/builds.ts";
import { type HttpResponse, send } from "../harness/http.ts";
import { type Latencies, latenciesOf } from "../harness/latencies.ts";
import { peakMemoryMb } from "../harness/processes.ts";
import { Random } from "../harness/random.ts";
import { LICENSED, newBuild, Vendor } from "./vendor.ts";

const API = "/api/v2/database";
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
  /** The time from the publication until the last client had a verified file. */
  finishedSeconds: number;
  peakMb: number;
  errors: string[];
}

/** Publishes a build, and lets every client poll, download and verify it with its own key. */
export async function stampede(terms: StampedeTerms, progress: (line: string) => void): Promise<StampedeReport> {
  await using vendor = await Vendor.open();
  progress(`creating ${terms.clients} keys`);
  const { origin, pid } = vendor.server;
  const clients = (await vendor.addCustomers(terms.clients)).map((key, i) => new Client(origin, key, `client-${i}`));
  const etag = (await (clients[0] as Client).get(`${API}/metadata?id=${LICENSED}`)).headers.etag ?? "";
  const build = await newBuild(LICENSED);
  const buildId = await publish(vendor.operator, LICENSED, build);
  progress(`published; ${terms.clients} clients poll in the next ${terms.seconds} seconds`);

  const random = new Random(1);
  const errors: string[] = [];
  let done = 0;
  const began = performance.now();
  const sync = async (client: Client): Promise<number> => {
    await delay(random.next() * terms.seconds * 1000);
    const started = performance.now();
    await client.sync(etag, buildId, build).catch(({ message }: Error) => {
      if (errors.length < ERRORS_MAX) errors.push(`${client.name}: ${message}`);
    });
    done += 1;
    if (done % PROGRESS_EVERY === 0) progress(`${done}/${terms.clients}`);
    return performance.now() - started;
  };
  const latencies = latenciesOf(await Promise.all(clients.map(sync)));
  const finishedSeconds = (performance.now() - began) / 1000;
  errors.push(...(await findMissing(vendor, clients)));
  const sizeBytes = build.files.mmdb?.length ?? 0;
  return { ...latencies, terms, sizeBytes, finishedSeconds, peakMb: peakMemoryMb(pid), errors };
}

/** Opens a connection for each request, as a shell script with curl does. */
class Client {
  readonly name: string;
  readonly #origin: string;
  readonly #headers: Record<string, string>;

  constructor(origin: string, key: string, name: string) {
    this.name = name;
    this.#origin = origin;
    this.#headers = { authorization: `Bearer ${key}`, "user-agent": name };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    return send(this.#origin, { path, headers: { ...this.#headers, ...headers } });
  }

  async sync(etag: string, buildId: string, { digests }: PreparedBuild): Promise<void> {
    const polled = await this.get(`${API}/metadata?id=${LICENSED}`, { "if-none-match": etag });
    if (polled.headers["x-build-id"] !== buildId) throw new Error(`polled and got ${polled.status} ${polled.body}`);
    const granted = await this.get(`${API}/download?id=${LICENSED}&format=mmdb&build=${buildId}`);
    if (granted.status !== 302) throw new Error(`asked for a link and got ${granted.status} ${granted.body}`);
    const link = new URL(granted.headers.location ?? "");
    const file = await send(link.origin, { path: link.pathname + link.search, headers: {} });
    if (sha256(file.body) !== digests.mmdb) throw new Error(`downloaded a wrong file (${file.status})`);
  }
}

/** Every client must be in the history once. */
async function findMissing({ operator }: Vendor, clients: readonly Client[]): Promise<string[]> {
  const counts = new Map<string, number>();
  const pages = operator.pages<{ attempts: { user_agent: string | null }[] }>("/api/operator/history?limit=1000");
  for await (const { attempts } of pages) {
    for (const { user_agent: agent } of attempts) if (agent) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  }
  const wrong = clients.filter(({ name }) => counts.get(name) !== 1);
  return wrong.slice(0, ERRORS_MAX).map(({ name }) => `${name} is in the history ${counts.get(name) ?? 0} times`);
}
