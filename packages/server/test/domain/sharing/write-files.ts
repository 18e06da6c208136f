import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Column } from "@dbdepot/contract/v2/metadata";
import { TABLE_FILE_MAX_BYTES, TABLE_LIMITS } from "../../../src/domain/sharing/job.ts";
import { writeTableInThread } from "../../../src/domain/sharing/write-table.ts";
import { csv, query } from "./duckdb.ts";

// `node packages/server/test/domain/sharing/write-files.ts dbdepot|duckdb CSVGZ COLUMNS` writes a csv.gz as Parquet. COLUMNS is JSON, as in metadata
// documents. Prints the bytes of the files and what it took as JSON.

const [by, path = "", json = "[]"] = process.argv.slice(2);
const columns = JSON.parse(json) as Column[];
const directory = await mkdtemp(join(tmpdir(), "dbdepot-tables-"));
try {
  const started = performance.now();
  const bytes = await (by === "duckdb" ? writeWithDuckDb() : write());
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const result = {
    bytes,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    cpuSeconds: Math.round((userCPUTime + systemCPUTime) / 1e5) / 10,
    peakMegabytes: Math.round(maxRSS / 1000),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
} finally {
  await rm(directory, { recursive: true });
}

async function write(): Promise<number> {
  const { files } = await writeTableInThread(
    { path, columns, directory, maxFileBytes: TABLE_FILE_MAX_BYTES, metadata: {} },
    TABLE_LIMITS,
    new AbortController().signal,
  );
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function writeWithDuckDb(): Promise<number> {
  const output = join(directory, "duckdb.parquet");
  await query(`copy (from ${csv(path, columns)}) to '${output}'
    (format parquet, compression zstd, row_group_size 100000)`);
  return (await stat(output)).size;
}
