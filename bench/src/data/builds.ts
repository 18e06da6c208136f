/** Builds that publication finds sound, as large as one likes. */
import { createWriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { operate } from "../service.ts";

export interface MadeBuild {
  id: string;
  format: "csvgz" | "mmdb";
  file: string;
  document: string;
  sizeBytes: number;
}

const CHUNK_BYTES = 1024 * 1024;
/** Where the data ends and the metadata begins. */
const MMDB_MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");
const UPDATED = "2026-01-01";

/** A small mmdb of the real exporter, whose data section is then filled up: the tree and the metadata stay sound. */
export async function makeMmdb(folder: string, sizeBytes: number): Promise<MadeBuild> {
  await mkdir(folder, { recursive: true });
  const id = "large_mmdb_v1";
  const table = join(folder, "small.csv");
  await writeFile(table, "network,provider\n192.0.2.0/24,One\n198.51.100.0/24,Another\n");
  await operate({ dataDir: join(folder, "nothing") }, "export", table, "--id", id, "--out", join(folder, "small"));
  const small = await readFile(join(folder, "small", `${id}.mmdb`));
  const end = small.lastIndexOf(MMDB_MARKER);
  const file = join(folder, `${id}.mmdb`);
  const filling = fill(sizeBytes - small.length);
  await pipeline(Readable.from([small.subarray(0, end)].values()), createWriteStream(file));
  await pipeline(filling, createWriteStream(file, { flags: "a" }));
  await pipeline(Readable.from([small.subarray(end)].values()), createWriteStream(file, { flags: "a" }));
  const document = await writeDocument(folder, { id, format: "mmdb", entries: 2, sizeBytes });
  return { id, format: "mmdb", file, document, sizeBytes };
}

/** A table of networks that gzip takes down to a third; it ends with the first block beyond the size. */
export async function makeCsvgz(folder: string, atLeastBytes: number): Promise<MadeBuild> {
  await mkdir(folder, { recursive: true });
  const id = "large_csv_v1";
  const file = join(folder, `${id}.csv.gz`);
  const block = csvBlock();
  let entries = 0;
  const gzip = createGzip({ level: 1 });
  async function* lines() {
    yield "network,provider\n";
    while (gzip.bytesWritten === 0 || written.bytesWritten < atLeastBytes) {
      entries += block.rows;
      yield block.text;
    }
  }
  const written = createWriteStream(file);
  await pipeline(lines(), gzip, written);
  const sizeBytes = written.bytesWritten;
  const document = await writeDocument(folder, { id, format: "csvgz", entries, sizeBytes });
  return { id, format: "csvgz", file, document, sizeBytes };
}

function* fill(sizeBytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(CHUNK_BYTES, "no zeros");
  for (let rest = sizeBytes; rest > 0; rest -= CHUNK_BYTES) yield chunk.subarray(0, rest);
}

/** Gzip looks back 32 KiB: to it a megabyte that comes again is new. */
function csvBlock(): { text: string; rows: number } {
  const lines: string[] = [];
  for (let bytes = 0, i = 0; bytes < CHUNK_BYTES; i += 1) {
    const mixed = Math.imul(i + 1, 2_654_435_761) >>> 0;
    const line = `${mixed >>> 24}.${(mixed >>> 16) & 255}.${(mixed >>> 8) & 255}.0/24,Provider ${mixed % 5000}\n`;
    lines.push(line);
    bytes += line.length;
  }
  return { text: lines.join(""), rows: lines.length };
}

async function writeDocument(
  folder: string,
  { id, format, entries, sizeBytes }: { id: string; format: string; entries: number; sizeBytes: number },
): Promise<string> {
  const path = join(folder, `${id}.json`);
  const columns = ["network", "provider"].map((name) => ({ name, type: "string" }));
  const document = { id, updated: UPDATED, entries, schema: { [format]: columns }, size: { [format]: sizeBytes } };
  await writeFile(path, JSON.stringify(document));
  return path;
}
