/** Measures what it takes to write a database as Parquet, beside DuckDB. */
import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { markdownTable } from "../../harness/markdown-table.ts";
import { run } from "../../harness/processes.ts";
import type { Bench } from "./bench.ts";
import { batches } from "./deltas/deltas.ts";
import { csvLines } from "./deltas/rows.ts";

const WRITE_FILES = resolve(import.meta.dirname, "../../../packages/server/test/domain/sharing/write-files.ts");
/** The columns of `csvLines`. */
const TYPES = {
  network: "cidr",
  country: "string",
  region: "string",
  city: "string",
  postal: "string",
  lat: "double",
  lon: "double",
  asn: "uint32",
  organization: "string",
  is_anonymous: "boolean",
};
const HEADER = ["rows", "csv.gz", "program", "Parquet", "share", "time", "CPU", "memory"];

interface Written {
  bytes: number;
  seconds: number;
  cpuSeconds: number;
  peakMegabytes: number;
}

export async function parquetTable(bench: Bench): Promise<string> {
  const columns = JSON.stringify(Object.entries(TYPES).map(([name, type]) => ({ name, type })));
  const table: string[][] = [];
  for (const rows of bench.isQuick ? [5000] : [600_000, 5_000_000]) {
    const path = bench.newPath("rows.csv.gz");
    await pipeline(Readable.from(batches(csvLines(rows))), createGzip(), createWriteStream(path));
    const { size } = await stat(path);
    for (const program of ["dbdepot", "DuckDB"]) {
      const { stdout } = await run(process.execPath, [WRITE_FILES, program.toLowerCase(), path, columns]);
      const { bytes, seconds, cpuSeconds, peakMegabytes }: Written = JSON.parse(stdout);
      const cells = [rows.toLocaleString("en-US"), megabytes(size), program, megabytes(bytes)];
      const share = `${Math.round((bytes / size) * 100)} %`;
      table.push([...cells, share, `${seconds} s`, `${cpuSeconds} s`, `${peakMegabytes} MB`]);
      bench.log(table.at(-1)?.join(", ") ?? "");
    }
    await rm(path);
  }
  return markdownTable(HEADER, table);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
