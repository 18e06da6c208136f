import { execFileSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import type { Column } from "@dbdepot/contract/v2/metadata";
import { Random } from "../../../../../rigs/harness/random.ts";

const TYPES = {
  network: "cidr",
  name: "string",
  asn: "uint32",
  risk: "int32",
  hits: "int64",
  score: "double",
  vpn: "boolean",
  first_seen: "date",
  updated: "timestamp",
};
export const COLUMNS: readonly Column[] = Object.entries(TYPES).map(([name, type]) => ({ name, type }));

/** Writes a csv.gz with a column of each type that Parquet files have, and a tenth of the cells empty. */
export async function writeCsvgz(path: string, rows: number): Promise<void> {
  await pipeline(Readable.from(batches(rows)), createGzip(), createWriteStream(path));
}

function* batches(rows: number): Generator<string> {
  const random = new Random(rows);
  const names = ["Example, Inc.", 'The ""best"" ISP', "Zürich 網路 🛰", "two\nlines", "null"];
  const twoDigits = (low: number, high: number) => String(random.integer(low, high)).padStart(2, "0");
  let batch = `${Object.keys(TYPES).join(",")}\n`;
  for (let i = 0; i < rows; i++) {
    const day = `${random.integer(1900, 2100)}-${twoDigits(1, 12)}-${twoDigits(1, 28)}`;
    const cells = [
      `"${random.pick(names)} ${random.integer(1, 50_000)}"`,
      random.integer(0, 2 ** 32 - 1),
      random.integer(-(2 ** 31), 2 ** 31 - 1),
      `${random.pick(["", "-"])}${random.integer(1, Number.MAX_SAFE_INTEGER)}${twoDigits(0, 99)}`,
      random.next() * 10 ** random.integer(-20, 20),
      random.chance(0.5),
      day,
      `${day}T${twoDigits(0, 23)}:59:59.${random.integer(100_000, 999_999)}Z`,
    ].map((cell) => (random.chance(0.1) ? "" : cell));
    batch += `${1 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}.0/24,${cells.join(",")}\n`;
    if (batch.length < 2 ** 16) continue;
    yield batch;
    batch = "";
  }
  yield batch;
}

export interface Measured {
  bytes: number;
  cpuSeconds: number;
  peakMegabytes: number;
}

/** Writes a csv.gz as Parquet in a process of its own, which has its own memory. */
export function measureWriting(by: "dbdepot" | "duckdb", path: string, columns: readonly Column[]): Measured {
  const program = fileURLToPath(new URL("./write-files.ts", import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [program, by, path, JSON.stringify(columns)], { encoding: "utf8" }));
}
