import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stage, stages } from "../../../../../rigs/harness/service/stages.ts";
import { Depot } from "./depot.ts";
import { mmdbMetadata } from "./sample-build.ts";

const ID = "large_v1";
const PEAK_MAX_MB = 200;
const COMMAND = join(import.meta.dirname, "../../../bin/dbdepot-server.js");
/** Prints the peak memory when the process exits. */
const REPORT_PEAK = 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS, "KiB"));';

const [stage] = stages() as [Stage];
let depot: Depot;
let folder: string;
beforeAll(async () => {
  depot = await Depot.open(stage);
  folder = await mkdtemp(join(tmpdir(), "dbdepot-large-"));
  await depot.addVersion(ID);
});
afterAll(async () => {
  await depot.dispose();
  await rm(folder, { recursive: true, force: true });
});

it(`builds publish uses less than ${PEAK_MAX_MB} MB of memory for larger files`, async () => {
  const csvgz = join(folder, "large.csv.gz");
  const mmdb = join(folder, "large.mmdb");
  const metadata = join(folder, "large.json");
  await pipeline(Readable.from(rows(), { objectMode: false }), createGzip({ level: 1 }), createWriteStream(csvgz));
  await pipeline(Readable.from(mmdbParts(), { objectMode: false }), createWriteStream(mmdb));
  const schema = [{ name: "network", type: "string" }];
  const size = { csvgz: (await stat(csvgz)).size, mmdb: (await stat(mmdb)).size };
  const document = {
    id: ID,
    updated: "2026-11-01",
    entries: BLOCKS * BLOCK_ROWS,
    schema: { csvgz: schema, mmdb: schema },
    size,
  };
  await writeFile(metadata, JSON.stringify(document));
  const argv = ["builds", "publish", ID, "--csvgz", csvgz, "--mmdb", mmdb, "--metadata", metadata];
  // The first start of an installation fills the compile cache.
  await run(["families", "list"]);
  expect(await run(argv)).toBeLessThan(PEAK_MAX_MB);
  expect((await depot.current(ID))?.files).toMatchObject({
    csvgz: { sizeBytes: size.csvgz },
    mmdb: { sizeBytes: size.mmdb },
  });
  expect(await run([...argv, "--recompress", "--force"])).toBeLessThan(PEAK_MAX_MB);
  expect((await depot.current(ID))?.files.csvgz?.sizeBytes).toBeLessThan(size.csvgz);
});

const BLOCKS = 400;
const BLOCK_ROWS = 50_000;

/** 290 MB of text that gzip does not compress too well: publishing refuses a ratio above 100. */
function* rows(): Generator<Buffer> {
  const networks = Array.from({ length: BLOCK_ROWS }, (_, i) => {
    const mixed = Math.imul(i + 1, 2_654_435_761) >>> 0;
    return `${mixed >>> 24}.${(mixed >>> 16) & 255}.${(mixed >>> 8) & 255}.0/24\n`;
  });
  const block = Buffer.from(networks.join(""));
  yield Buffer.from("network\n");
  for (let i = 0; i < BLOCKS; i += 1) yield block;
}

/** One node, and 260 MB of strings. */
function* mmdbParts(): Generator<Buffer> {
  const text = Buffer.alloc(65_821 + 65_536, "x");
  yield Buffer.concat([Buffer.from([0, 0, 1, 0, 0, 17]), Buffer.alloc(16)]);
  for (let i = 0; i < 2000; i += 1) yield Buffer.concat([Buffer.from([0x5f, 1, 0, 0]), text]);
  yield mmdbMetadata({ nodeCount: 1, recordSizeBits: 24 });
}

/** Runs the command in its own process and returns its peak memory in MB. */
async function run(argv: string[]): Promise<number> {
  const { dataDir, database } = depot.settings;
  const child = spawn(COMMAND, argv, {
    env: {
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REPORT_PEAK)}`,
      DBDEPOT_DATA_DIR: dataDir,
      DBDEPOT_DATABASE_URL: database.engine === "sqlite" ? `sqlite:${database.path}` : database.url,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const errors = await text(child.stderr);
  const peaks = [...errors.matchAll(/peak (\d+) KiB/g)].map(([, kib]) => Number(kib));
  if (peaks.length === 0) throw new Error(errors);
  return (Math.max(...peaks) * 1024) / 1e6;
}
