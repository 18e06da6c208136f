/** Compares the `dbdepot` command to curl, which does not verify the file, at 1 Gbit/s. */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { freePort } from "../../../harness/free-port.ts";
import { send } from "../../../harness/http.ts";
import { run } from "../../../harness/processes.ts";
import { startServer } from "../../../harness/server.ts";
import type { Bench } from "../bench.ts";
import { compare } from "../compare.ts";
import { requestFor } from "../data/customers.ts";
import { publishLargeBuild } from "../data/large-build.ts";
import { startNginx } from "../nginx.ts";
import { type Result, single } from "../result.ts";

const COMMAND = resolve(import.meta.dirname, "../../../../packages/client/bin/dbdepot.js");
const LINE_BYTES_PER_SECOND = 125_000_000;
const RATIO_AT_MOST = 1.4;
const MEMORY_MAX_MB = 250;

export async function* clientRows(bench: Bench): AsyncGenerator<Result> {
  const build = await publishLargeBuild(bench);
  const port = await freePort();
  const shaped = `location / { root ${build.objects}; limit_rate ${LINE_BYTES_PER_SECOND}; }`;
  await using _nginx = await startNginx(bench.newPath("nginx"), port, shaped);
  const settings = { DBDEPOT_OBJECTS_PUBLIC_URL: `http://127.0.0.1:${port}` };
  await using server = await startServer({ ...build.data, settings }, requestFor.metadata(build.customer));

  const file = bench.newPath("large.mmdb");
  const { key, databaseId } = build.customer;
  const env = { ...process.env, DBDEPOT_CLIENT_URL: server.origin, DBDEPOT_CLIENT_KEY: key };
  const peaks: number[] = [];
  const sides = {
    ours: async () => {
      await rm(file, { force: true });
      const { seconds, peakMb } = await run(
        process.execPath,
        [COMMAND, "download", databaseId, "--format", "mmdb", "--to", file],
        { env },
      );
      peaks.push(peakMb);
      return seconds;
    },
    anchor: async () => {
      const link = (await send(server.origin, requestFor.download(build.customer))).headers.location ?? "";
      await rm(file, { force: true });
      return (await run("curl", ["--silent", "--fail", "--output", file, link])).seconds;
    },
  };
  yield await compare(bench, { what: "client, 1 GiB at 1 Gbit/s", unit: "s", anchorName: "curl" }, sides, {
    ratioAtMost: RATIO_AT_MOST,
  });
  yield single("memory, client", "MB", peaks, MEMORY_MAX_MB);
}
