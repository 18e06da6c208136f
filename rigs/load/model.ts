/**
 * What customers who keep their databases current cost, computed from the measured figures of docs/performance.md and
 * docs/operate/sizing.md. That page shows the result, and `npm run load -- day` compares it with a server.
 */

/** The requests of `dbdepot sync` for one database on a day with a new build, if it runs every hour. */
export const REQUESTS = { "metadata, 304": 23, metadata: 1, checksum: 1, download: 1 } as const;
export type RequestKind = keyof typeof REQUESTS;
export const REQUEST_KINDS = Object.keys(REQUESTS) as RequestKind[];

export const DATABASES = 3;

/** Processor time of the server for a request: one divided by the rate of one process on about one core. */
const CPU_MS: Record<RequestKind, number> = {
  "metadata, 304": 1000 / 5375,
  metadata: 1000 / 4820,
  checksum: 1000 / 4665,
  download: 1000 / 2342,
};
const ROW_BYTES = { sqlite: 401, postgres: 547 };
const FILE_BYTES = 50e6;
const PATCH_SHARE = 0.01;

interface Day {
  requests: number;
  cpuSeconds: number;
  rows: number;
  rowBytes: { sqlite: number; postgres: number };
  /** What leaves the storage if every download is a whole file, or a patch. */
  fileBytes: number;
  patchBytes: number;
}

export function dayOf(customers: number): Day {
  const databases = customers * DATABASES;
  const rows = databases * REQUESTS.download;
  const sum = (costOf: (kind: RequestKind) => number) =>
    databases * REQUEST_KINDS.reduce((total, kind) => total + REQUESTS[kind] * costOf(kind), 0);
  return {
    requests: sum(() => 1),
    cpuSeconds: sum((kind) => CPU_MS[kind]) / 1000,
    rows,
    rowBytes: { sqlite: rows * ROW_BYTES.sqlite, postgres: rows * ROW_BYTES.postgres },
    fileBytes: rows * FILE_BYTES,
    patchBytes: rows * FILE_BYTES * PATCH_SHARE,
  };
}

/** The rows of the table in docs/operate/sizing.md. */
export function modelTable(customers: readonly number[]): string {
  const days = customers.map(dayOf);
  const row = (what: string, of: (day: Day) => string) => `| ${what} | ${days.map(of).join(" | ")} |`;
  const count = (value: number) => Math.round(value).toLocaleString("en-US");
  const perSecond = (value: number, seconds: number) => `${count(value / seconds)}/s`;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toLocaleString("en-US", { maximumSignificantDigits: 2 })} GB`;
  return [
    row("requests to the API", ({ requests }) => count(requests)),
    row("the same, on average", ({ requests }) => perSecond(requests, 86_400)),
    row("if all of them come within an hour", ({ requests }) => perSecond(requests, 3600)),
    row("processor time of the servers", ({ cpuSeconds }) => `${count(cpuSeconds)} s`),
    row("rows of history", ({ rows }) => count(rows)),
    row("the same on PostgreSQL, in a year", ({ rowBytes }) => gigabytes(rowBytes.postgres * 365)),
    row("bytes from the storage, whole files", ({ fileBytes }) => gigabytes(fileBytes)),
    row("the same, with patches", ({ patchBytes }) => gigabytes(patchBytes)),
    row("the same, with a CDN", () => `${gigabytes(DATABASES * FILE_BYTES)} for each of its locations`),
  ].join("\n");
}
