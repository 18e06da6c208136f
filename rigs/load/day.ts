import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { cpuSeconds } from "../harness/processes.ts";
import { Connections } from "./connections.ts";
import { DATABASES, dayOf, REQUEST_KINDS, REQUESTS, type RequestKind } from "./model.ts";
import { LICENSED, Vendor } from "./vendor.ts";

const API = "/api/v2/database";
const CONNECTIONS = 100;
/** How far the model may be from the server. */
const TOLERANCE = 0.3;
const ERRORS_MAX = 20;
const PROGRESS_EVERY = 10_000;

const PATHS: Record<RequestKind, { path: string; status: number }> = {
  "metadata, 304": { path: `metadata?id=${LICENSED}`, status: 304 },
  metadata: { path: `metadata?id=${LICENSED}`, status: 200 },
  checksum: { path: `checksum?id=${LICENSED}&format=mmdb`, status: 200 },
  download: { path: `download?id=${LICENSED}&format=mmdb`, status: 302 },
};

interface Figure {
  what: string;
  predicted: number;
  measured: number;
}

export interface DayReport {
  figures: Figure[];
  errors: string[];
}

/** Sends the requests of a day of many customers, as fast as the server answers, and compares what they cost with the model. */
export async function day(customers: number, progress: (line: string) => void): Promise<DayReport> {
  await using vendor = await Vendor.open();
  progress(`creating ${customers} keys`);
  const keys = await vendor.addCustomers(customers);
  const { origin, pid } = vendor.server;
  const first = await fetch(`${origin}${API}/metadata?id=${LICENSED}`, {
    headers: { authorization: `Bearer ${keys[0]}` },
  });
  const etag = first.headers.get("etag") ?? "";
  using connections = new Connections(CONNECTIONS);
  const errors: string[] = [];
  let requests = 0;

  /** The customers of one connection take turns, so that the kinds of requests are mixed. */
  async function work(mine: readonly string[]): Promise<void> {
    for (const kind of REQUEST_KINDS) {
      const { path, status } = PATHS[kind];
      for (let i = 0; i < REQUESTS[kind] * DATABASES; i += 1) {
        for (const key of mine) {
          const headers = {
            authorization: `Bearer ${key}`,
            ...(kind === "metadata, 304" && { "if-none-match": etag }),
          };
          const outcome = await connections.send(`${origin}${API}/${path}`, headers);
          requests += 1;
          if (requests % PROGRESS_EVERY === 0) progress(`${requests} requests`);
          if (outcome.status !== status && errors.length < ERRORS_MAX) errors.push(`${kind}: status ${outcome.status}`);
        }
      }
    }
  }

  const database = join(vendor.directory, "data/dbdepot.sqlite");
  const before = { cpu: cpuSeconds(pid), bytes: await sizeOf(database) };
  await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, i) => work(keys.filter((_, index) => index % CONNECTIONS === i))),
  );
  const after = { cpu: cpuSeconds(pid), bytes: await sizeOf(database) };
  const model = dayOf(customers);
  const figures = [
    { what: "requests", predicted: model.requests, measured: requests },
    { what: "processor time (s)", predicted: model.cpuSeconds, measured: after.cpu - before.cpu },
    { what: "history (MB)", predicted: model.rowBytes.sqlite / 1e6, measured: (after.bytes - before.bytes) / 1e6 },
  ];
  for (const { what, predicted, measured } of figures) {
    if (Math.abs(measured / predicted - 1) > TOLERANCE) {
      errors.push(`${what}: the model says ${predicted.toFixed(1)}, and it was ${measured.toFixed(1)}`);
    }
  }
  return { figures, errors };
}

/** Includes what is still in the log. */
async function sizeOf(path: string): Promise<number> {
  const database = new DatabaseSync(path);
  database.exec("pragma busy_timeout = 30000; pragma wal_checkpoint(truncate)");
  database.close();
  return (await stat(path)).size;
}
