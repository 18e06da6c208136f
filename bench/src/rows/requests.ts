/** The API beside a bare node:http server that sends the same bytes, and beside the same endpoint written by hand. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import { ask, type Customer, drawCustomers, unknownKeys } from "../data/customers.ts";
import { createPostgresData, startPostgres } from "../data/postgres.ts";
import { CATALOGUE } from "../data/scale.ts";
import { createSqliteData } from "../data/sqlite.ts";
import { type HttpRequest, type HttpResponse, send } from "../http.ts";
import { requestsPerSecond } from "../load.ts";
import { startProgram } from "../processes.ts";
import type { Result } from "../result.ts";
import { type Server, startServer } from "../server.ts";

const ANCHORS = join(import.meta.dirname, "../../anchors");
/** Node adds these itself. */
const ADDED_BY_NODE = ["date", "connection", "keep-alive", "transfer-encoding"];

const customers = drawCustomers(CATALOGUE, 10_000, 1);
const [customer] = customers as [Customer];

export async function* requestRows(bench: Bench): AsyncGenerator<Result> {
  const dataDir = bench.newPath("sqlite");
  await createSqliteData(dataDir, CATALOGUE);
  await using server = await startServer({ dataDir }, ask.metadata(customer));
  const { etag = "" } = (await send(server.origin, ask.metadata(customer))).headers;
  const unchanged = {
    path: ask.metadata(customer).path,
    headers: { ...ask.metadata(customer).headers, "If-None-Match": etag },
  };

  const beside = (what: string, requests: HttpRequest[], status: number, ratioAtLeast: number) =>
    besideBareHttp(bench, { what, server, requests, status, ratioAtLeast });
  yield await beside("metadata", customers.map(ask.metadata), 200, 0.45);
  yield await beside("checksum", customers.map(ask.checksum), 200, 0.45);
  yield await beside("metadata, 304", [unchanged], 304, 0.45);
  yield await beside("unknown key, 401", unknownKeys(CATALOGUE, 1000).map(ask.metadata), 401, 0.45);
  yield await beside("list of 100 families", customers.map(ask.list), 200, 0.4);
  yield await beside("download, SQLite", customers.map(ask.download), 302, 0.3);
}

export async function* postgresRows(bench: Bench): AsyncGenerator<Result> {
  await using postgres = await startPostgres();
  const place = await createPostgresData(bench, postgres, "catalogue", CATALOGUE);
  await using server = await startServer(place, ask.metadata(customer));
  const requests = customers.map(ask.download);
  const what = "download, PostgreSQL";
  yield await besideBareHttp(bench, { what, server, requests, status: 302, ratioAtLeast: 0.25 });

  await using express = await startProgram(join(ANCHORS, "express.js"), [], { DATABASE_URL: place.databaseUrl });
  yield await underLoad(
    bench,
    { what, beside: "Express + pg", server, requests, status: 302, ratioAtLeast: 10 },
    express.line,
  );
}

interface Comparison {
  what: string;
  server: Server;
  requests: HttpRequest[];
  status: number;
  ratioAtLeast: number;
}

async function besideBareHttp(bench: Bench, comparison: Comparison): Promise<Result> {
  const { server, requests, status } = comparison;
  const response = await send(server.origin, requests[0] as HttpRequest);
  if (response.status !== status) throw new Error(`expected ${status}, got ${response.status} ${response.body}`);
  const file = bench.newPath("response.json");
  await writeFile(file, fixedResponse(response));
  await using anchor = await startProgram(join(ANCHORS, "bare-http.ts"), [file]);
  return await underLoad(bench, { ...comparison, beside: "bare node:http" }, anchor.line);
}

async function underLoad(
  bench: Bench,
  { what, beside, server, requests, status, ratioAtLeast }: Comparison & { beside: string },
  anchorPort: string,
): Promise<Result> {
  const load = (origin: string) => () =>
    requestsPerSecond({ origin, requests, seconds: bench.isQuick ? 1 : 2, status });
  const sides = { anchor: load(`http://127.0.0.1:${anchorPort}`), ours: load(server.origin) };
  return compare(bench, { what, unit: "req/s", beside }, sides, { ratioAtLeast });
}

function fixedResponse({ status, headers, body }: HttpResponse): string {
  const kept = Object.entries(headers).filter(([name]) => !ADDED_BY_NODE.includes(name));
  return JSON.stringify({ status, headers: Object.fromEntries(kept), bodyBase64: body.toString("base64") });
}
