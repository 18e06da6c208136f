/** The API beside a bare node:http server that sends the same bytes. */
import { mkdir } from "node:fs/promises";
import { startBareHttp } from "../anchors/bare-http.ts";
import { type Customer, drawCustomers, drawStrangers } from "../data/customers.ts";
import { startPostgres } from "../data/postgres.ts";
import { CATALOGUE } from "../data/scale.ts";
import { makeSqliteData } from "../data/sqlite.ts";
import { exchange, type HttpRequest, headerOf } from "../exchange.ts";
import type { Line } from "../line.ts";
import type { Row } from "../row.ts";
import { type Service, startService } from "../service.ts";
import type { Workshop } from "../workshop.ts";
import { compareUnderLoad } from "./comparing.ts";
import { ASK } from "./requests.ts";

const CONNECTIONS = 64;
const LOAD_SECONDS = 1;
/** Where the service goes on writing when it has answered. */
const LONG_TURN_MS = LOAD_SECONDS * 1000;
const REQUESTS = 10_000;
const SEED = 1;

const customers = drawCustomers(CATALOGUE, REQUESTS, SEED);
/** A thousand machines with a key that is no more, which go on asking. */
const strangers = drawStrangers(CATALOGUE, REQUESTS, SEED, 1000);

interface HttpRow {
  name: string;
  what: string;
  ratioAtLeast: number;
  status: number;
  requests: HttpRequest[] | ((service: Service) => Promise<HttpRequest[]>);
  service?: (workshop: Workshop) => Promise<Service>;
  turnMs?: number;
}

const HTTP_ROWS: HttpRow[] = [
  { name: "metadata", what: "metadata", ratioAtLeast: 0.85, status: 200, requests: customers.map(ASK.metadata) },
  { name: "checksum", what: "checksum", ratioAtLeast: 0.85, status: 200, requests: customers.map(ASK.checksum) },
  { name: "unchanged", what: "metadata, answered 304", ratioAtLeast: 0.9, status: 304, requests: askAgain },
  {
    name: "list",
    what: "list of 100 families with 3 versions",
    ratioAtLeast: 0.7,
    status: 200,
    requests: customers.map(ASK.list),
  },
  {
    name: "download-sqlite",
    what: "download: a link, durably recorded (SQLite)",
    ratioAtLeast: 0.45,
    status: 302,
    requests: customers.map(ASK.download),
    turnMs: LONG_TURN_MS,
  },
  {
    name: "download-postgres",
    what: "download: a link, durably recorded (PostgreSQL)",
    ratioAtLeast: 0.3,
    status: 302,
    requests: customers.map(ASK.download),
    service: postgresService,
    turnMs: LONG_TURN_MS,
  },
  {
    // On metadata: the refusal of a download leaves a row in the history, which is another matter.
    name: "refusal",
    what: "a bad key refused",
    ratioAtLeast: 0.8,
    status: 401,
    requests: strangers.map(ASK.metadata),
  },
];

export const httpRows: Row[] = HTTP_ROWS.map((row) => ({
  name: row.name,
  what: `${row.what}, beside bare node:http`,
  needs: [],
  measure: (workshop) => measure(workshop, row),
}));

async function measure(workshop: Workshop, row: HttpRow): Promise<Line[]> {
  const service = await (row.service ?? sqliteService)(workshop);
  const requests = typeof row.requests === "function" ? await row.requests(service) : row.requests;
  const sample = await exchange(service.origin, requests[0] as HttpRequest);
  if (sample.status !== row.status) throw new Error(`the answer was ${sample.status} and not ${row.status}`);
  const folder = workshop.newFolder(row.name);
  await mkdir(folder);
  await using anchor = await startBareHttp(folder, sample);
  const { line } = await compareUnderLoad(workshop, {
    labels: { name: row.name, what: row.what },
    anchor: { origin: anchor.origin, requests: () => requests },
    ours: { origin: service.origin, requests: () => requests },
    status: row.status,
    connections: CONNECTIONS,
    seconds: LOAD_SECONDS,
    turnMs: row.turnMs,
    wanted: { ratioAtLeast: row.ratioAtLeast },
  });
  return [line];
}

/** Metadata, by those who have it already. */
async function askAgain({ origin }: Service): Promise<HttpRequest[]> {
  const etags = new Map<string, string>();
  for (const customer of customers) {
    if (etags.has(customer.databaseId)) continue;
    const response = await exchange(origin, ASK.metadata(customer));
    etags.set(customer.databaseId, headerOf(response, "etag") ?? "");
  }
  return customers.map((customer) => {
    const { path, headers } = ASK.metadata(customer);
    return { path, headers: { ...headers, "If-None-Match": etags.get(customer.databaseId) ?? "" } };
  });
}

function sqliteService(workshop: Workshop): Promise<Service> {
  return workshop.shared("service on SQLite", async () => {
    const dataDir = workshop.newFolder("sqlite");
    await makeSqliteData(dataDir, CATALOGUE);
    return startService({ dataDir, firstRequest, profile: workshop.options.profile });
  });
}

async function postgresService(workshop: Workshop): Promise<Service> {
  const { databaseUrl } = await workshop.shared("PostgreSQL", startPostgres);
  return workshop.shared("service on PostgreSQL", () =>
    startService({
      dataDir: workshop.newFolder("postgres"),
      databaseUrl,
      firstRequest,
      profile: workshop.options.profile,
    }),
  );
}

const firstRequest = ASK.metadata(customers[0] as Customer);
