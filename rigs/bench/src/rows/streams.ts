/** Compares files sent by the server to files sent by nginx. */

import { freePort } from "../../../harness/free-port.ts";
import { send } from "../../../harness/http.ts";
import { peakMemoryMb, run } from "../../../harness/processes.ts";
import { startServer } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import { requestFor } from "../data/customers.ts";
import { type LargeBuild, publishLargeBuild } from "../data/large-build.ts";
import { startNginx } from "../nginx.ts";
import { type Result, single } from "../result.ts";

const MEMORY_MAX_MB = 250;
const STREAMS = 64;
/** How long many concurrent streams are measured. */
const MANY_SECONDS = 3;
const CURL_TIMED_OUT = 28;

export async function* streamRows(bench: Bench): AsyncGenerator<Result> {
  const build = await publishLargeBuild(bench);
  const port = await freePort();
  await using _nginx = await startNginx(bench.newPath("nginx"), port, `location / { root ${build.objects}; }`);
  const anchor = `http://127.0.0.1:${port}/${build.objectKey}`;

  for (const streams of [1, STREAMS]) {
    // Each row gets a new process, so that its peak memory is not affected by other rows.
    await using server = await startServer(build.data, requestFor.metadata(build.customer));
    const v1 = v1Url(server.origin, build);
    const link = (await send(server.origin, requestFor.download(build.customer))).headers.location ?? "";
    const count = streams === 1 ? "1 stream" : `${streams} streams`;
    for (const [what, url] of [
      [`v1, ${count}`, v1],
      [`gateway, ${count}`, link],
    ] as const) {
      const labels = { what, unit: "MB/s", anchorName: "nginx" } as const;
      const sides = { anchor: () => megabytesPerSecond(anchor, streams), ours: () => megabytesPerSecond(url, streams) };
      yield await compare(bench, labels, sides, { ratioAtLeast: 0.2 });
    }
    yield single(`memory, ${count}`, "MB", [peakMemoryMb(server.pid)], MEMORY_MAX_MB);
  }
  yield* acceleratedRows(bench, build, anchor);
}

/** nginx in front of the server sends the files. */
async function* acceleratedRows(bench: Bench, build: LargeBuild, anchor: string): AsyncGenerator<Result> {
  const settings = { DBDEPOT_SENDFILE: "x-accel-redirect", DBDEPOT_TRUSTED_PROXIES: "127.0.0.1/32" };
  await using server = await startServer({ ...build.data, settings }, requestFor.metadata(build.customer));
  const port = await freePort();
  const locations = `
    location /api/ { proxy_pass ${server.origin}; proxy_set_header X-Forwarded-For $remote_addr; }
    location /_dbdepot/objects/ { internal; alias ${build.objects}/; }`;
  await using _nginx = await startNginx(bench.newPath("nginx"), port, locations);
  const url = v1Url(`http://127.0.0.1:${port}`, build);
  for (const streams of [1, STREAMS]) {
    const what = `v1 with X-Accel-Redirect, ${streams === 1 ? "1 stream" : `${streams} streams`}`;
    const sides = { anchor: () => megabytesPerSecond(anchor, streams), ours: () => megabytesPerSecond(url, streams) };
    yield await compare(bench, { what, unit: "MB/s", anchorName: "nginx" }, sides, { ratioAtLeast: 0.85 });
  }
}

function v1Url(origin: string, { customer, legacyKey }: LargeBuild): string {
  return `${origin}/api/v1/database/download?id=${customer.databaseId}&format=mmdb&apikey=${legacyKey}`;
}

/** Downloads with curl: the whole file with one stream, or for a few seconds with many. */
async function megabytesPerSecond(url: string, streams: number): Promise<number> {
  const report = ["--write-out", "%{http_code} %{size_download} %{time_total}\\n"];
  const many = ["--parallel", "--parallel-immediate", "--parallel-max", `${streams}`, "--max-time", `${MANY_SECONDS}`];
  const transfers = Array.from({ length: streams }, () => ["--output", "/dev/null", url]).flat();
  const { stdout } = await run("curl", ["--silent", ...(streams > 1 ? many : []), ...report, ...transfers], {
    accepts: streams > 1 ? [0, CURL_TIMED_OUT] : [0],
  });
  const reports = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  if (reports.length !== streams || reports.some(([status]) => status !== 200)) {
    throw new Error(`curl failed to download ${url}: ${stdout}`);
  }
  const bytes = reports.reduce((sum, [, size = 0]) => sum + size, 0);
  return bytes / 1e6 / Math.max(...reports.map(([, , seconds = 0]) => seconds));
}
