/** Compares the API to a bare node:http server that sends the same bytes, and to the same endpoint in Express. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HttpRequest, type HttpResponse, send } from "../../../harness/http.ts";
import { startProgram } from "../../../harness/processes.ts";
import type { Server } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import { type Customer, drawCustomers, requestFor, unknownKeys } from "../data/customers.ts";
import { createPostgresData, startPostgres } from "../data/postgres.ts";
import { CATALOGUE } from "../data/scale.ts";
import { createSqliteData } from "../data/sqlite.ts";
import { requestsPerSecond } from "../load.ts";
import { startLoadedServer } from "../loaded-server.ts";
import type { Result } from "../result.ts";

const ANCHORS = join(import.meta.dirname, "../../anchors");
/** Node adds these itself. */
const ADDED_BY_NODE = ["date", "connection", "keep-alive", "transfer-encoding"];

const customers = drawCustomers(CATALOGUE, 10_000, 1);
const [customer] = customers as [Customer];

export async function* requestRows(bench: Bench): AsyncGenerator<Result> {
  const dataDir = bench.newPath("sqlite");
  await createSqliteData(dataDir, CATALOGUE);
  await using server = await startLoadedServer({ dataDir }, requestFor.metadata(customer), CATALOGUE.keys);
  const { etag = "" } = (await send(server.origin, requestFor.metadata(customer))).headers;
  const unchanged = {
    path: requestFor.metadata(customer).path,
    headers: { ...requestFor.metadata(customer).headers, "If-None-Match": etag },
  };

  const row = (what: string, requests: HttpRequest[], status: number, ratioAtLeast: number) =>
    compareToBareHttp(bench, { what, server, requests, status, ratioAtLeast });
  yield await row("metadata", customers.map(requestFor.metadata), 200, 0.2);
  yield await row("checksum", customers.map(requestFor.checksum), 200, 0.2);
  yield await row("metadata, 304", [unchanged], 304, 0.2);
  yield await row("unknown key, 401", unknownKeys(CATALOGUE, 1000).map(requestFor.metadata), 401, 0.25);
  yield await row("list of 100 families", customers.map(requestFor.list), 200, 0.25);
  yield await row("download, SQLite", customers.map(requestFor.download), 302, 0.15);
}

export async function* postgresRows(bench: Bench): AsyncGenerator<Result> {
  await using postgres = await startPostgres();
  const data = await createPostgresData(bench, postgres, "catalogue", CATALOGUE);
  await using server = await startLoadedServer(data, requestFor.metadata(customer), CATALOGUE.keys);
  const requests = customers.map(requestFor.download);
  const what = "download, PostgreSQL";
  yield await compareToBareHttp(bench, { what, server, requests, status: 302, ratioAtLeast: 0.18 });

  await using express = await startProgram(join(ANCHORS, "express.js"), [], { DATABASE_URL: data.databaseUrl });
  yield await compareUnderLoad(
    bench,
    { what, anchorName: "Express + pg", server, requests, status: 302, ratioAtLeast: 5 },
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

async function compareToBareHttp(bench: Bench, comparison: Comparison): Promise<Result> {
  const { server, requests, status } = comparison;
  const response = await send(server.origin, requests[0] as HttpRequest);
  if (response.status !== status) throw new Error(`expected ${status}, got ${response.status} ${response.body}`);
  const file = bench.newPath("response.json");
  await writeFile(file, fixedResponse(response));
  await using anchor = await startProgram(join(ANCHORS, "bare-http.ts"), [file]);
  return await compareUnderLoad(bench, { ...comparison, anchorName: "bare node:http" }, anchor.line);
}

async function compareUnderLoad(
  bench: Bench,
  { what, anchorName, server, requests, status, ratioAtLeast }: Comparison & { anchorName: string },
  anchorPort: string,
): Promise<Result> {
  const load = (origin: string) => () =>
    requestsPerSecond({ origin, requests, seconds: bench.isQuick ? 1 : 2, status });
  const sides = { anchor: load(`http://127.0.0.1:${anchorPort}`), ours: load(server.origin) };
  return compare(bench, { what, unit: "req/s", anchorName }, sides, { ratioAtLeast });
}

function fixedResponse({ status, headers, body }: HttpResponse): string {
  const kept = Object.entries(headers).filter(([name]) => !ADDED_BY_NODE.includes(name));
  return JSON.stringify({ status, headers: Object.fromEntries(kept), bodyBase64: body.toString("base64") });
}
