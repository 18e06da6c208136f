/** Compares the server with a large database to the same server with a small one. */

import type { HttpRequest } from "../../../harness/http.ts";
import { peakMemoryMb } from "../../../harness/processes.ts";
import { type Server, type ServerData, startServer } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import { type Customer, drawCustomers, requestFor } from "../data/customers.ts";
import { createPostgresData, startPostgres } from "../data/postgres.ts";
import { largeScale, longHistory, type Scale, SMALL } from "../data/scale.ts";
import { createSqliteData } from "../data/sqlite.ts";
import { requestsPerSecond } from "../load.ts";
import { startLoadedServer } from "../loaded-server.ts";
import { median, type Result, single } from "../result.ts";

const RATIO_AT_LEAST = 0.65;
const MEMORY_MAX_MB = 900;
const START_MAX_SECONDS = 6;
/** More than a round needs on most machines, so on the large database hardly any key is used twice. */
const REQUESTS = 40_000;

interface Side {
  server: Server;
  scale: Scale;
}

export async function* growthRows(bench: Bench): AsyncGenerator<Result> {
  const scale = largeScale(bench.isQuick);
  const [small, large] = [{ dataDir: bench.newPath("small") }, { dataDir: bench.newPath("large") }];
  await createSqliteData(small.dataDir, SMALL);
  await createSqliteData(large.dataDir, scale);
  yield await startRow(bench, "start, large data", large, firstRequest(scale), START_MAX_SECONDS);

  await using smallServer = await startLoadedServer(small, firstRequest(SMALL), SMALL.keys);
  await using largeServer = await startLoadedServer(large, firstRequest(scale), scale.keys);
  const sides = { anchor: { server: smallServer, scale: SMALL }, ours: { server: largeServer, scale } };
  yield await comparison(bench, "metadata, 1 million keys", sides, requestFor.metadata, 200);
  yield await comparison(bench, "download, SQLite, 1 million attempts", sides, requestFor.download, 302);
  yield await comparison(bench, "history, SQLite, 1 million attempts", sides, requestFor.history, 200);
  yield single("memory, large data", "MB", [peakMemoryMb(largeServer.pid)], MEMORY_MAX_MB);
}

export async function* longHistoryRows(bench: Bench): AsyncGenerator<Result> {
  const scale = longHistory(bench.isQuick);
  await using postgres = await startPostgres();
  const small = await createPostgresData(bench, postgres, "small", SMALL);
  const large = await createPostgresData(bench, postgres, "large", scale);
  await using smallServer = await startLoadedServer(small, firstRequest(SMALL), SMALL.keys);
  await using largeServer = await startLoadedServer(large, firstRequest(scale), scale.keys);
  const sides = { anchor: { server: smallServer, scale: SMALL }, ours: { server: largeServer, scale } };
  yield await comparison(bench, "download, PostgreSQL, 10 million attempts", sides, requestFor.download, 302);
  yield await comparison(bench, "history, PostgreSQL, 10 million attempts", sides, requestFor.history, 200);
}

/** Restarts the server a few times. */
export async function startRow(
  bench: Bench,
  what: string,
  data: ServerData,
  request: HttpRequest,
  belowSeconds: number,
): Promise<Result> {
  const seconds: number[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    await using server = await startServer(data, request);
    seconds.push(server.startSeconds);
  }
  bench.log(`${what}: ${median(seconds).toFixed(2)} s`);
  return single(what, "s", seconds, belowSeconds);
}

function firstRequest(scale: Scale): HttpRequest {
  return requestFor.metadata(drawCustomers(scale, 1, 0)[0] as Customer);
}

async function comparison(
  bench: Bench,
  what: string,
  sides: { anchor: Side; ours: Side },
  request: (customer: Customer) => HttpRequest,
  status: number,
): Promise<Result> {
  const load =
    ({ server, scale }: Side) =>
    (round: number) => {
      const requests = drawCustomers(scale, REQUESTS, round + 2).map(request);
      return requestsPerSecond({ origin: server.origin, requests, seconds: bench.isQuick ? 1 : 2, status });
    };
  const labels = { what, unit: "req/s", anchorName: "small data" } as const;
  return compare(
    bench,
    labels,
    { anchor: load(sides.anchor), ours: load(sides.ours) },
    { ratioAtLeast: RATIO_AT_LEAST },
  );
}
