import { gzipSync } from "node:zlib";
import { type ByFileKind, FORMATS, type Format, sampleOf } from "@dbdepot/contract/shared/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { encodeMetadata } from "@dbdepot/exporter/mmdb/metadata";

/** The output of an exporter. */
export interface SampleBuild {
  document: Buffer;
  files: ByFileKind<Buffer>;
}

export interface SampleOptions {
  rows?: number;
  updated?: string;
  formats?: readonly Format[];
  /** Adds sample files with this many rows. */
  sampleRows?: number;
  /** Makes the files differ from those of another build. */
  mark?: string;
  /** Fields of the document that replace the correct ones. */
  overrides?: Partial<Record<keyof DatabaseMetadata, unknown>>;
}

const COLUMNS = ["network", "provider"];

/** Creates a small, valid build without the exporter, so that the tests do not depend on it. */
export function sampleBuild(id: string, options: SampleOptions = {}): SampleBuild {
  const { rows = 100, updated = "2026-11-01", formats = FORMATS, mark = "", sampleRows, overrides = {} } = options;
  const files: ByFileKind<Buffer> = {};
  // It is not compressed, so its size depends on the number of rows.
  if (formats.includes("csvgz")) files.csvgz = gzipSync(csvOf(rows, mark), { level: 0 });
  if (formats.includes("mmdb")) files.mmdb = mmdbOf(`${mark}${"x".repeat(rows)}`);
  if (sampleRows !== undefined && files.csvgz) files.sample_csvgz = gzipSync(csvOf(sampleRows, mark), { level: 0 });
  if (sampleRows !== undefined && files.mmdb) files.sample_mmdb = mmdbOf(`${mark}${"x".repeat(sampleRows)} sample`);
  const each = <T>(value: (format: Format) => T) =>
    Object.fromEntries(formats.map((format) => [format, value(format)]));
  const document = {
    id,
    update_freq: `marked ${mark}`,
    updated,
    entries: rows,
    schema: each(() => COLUMNS.map((name) => ({ name, type: "string" }))),
    sample: each(() => [{ network: "192.0.2.0/24", provider: 'One, and the "other"' }]),
    size: each((format) => files[format]?.length),
    ...(sampleRows !== undefined && {
      sample_entries: sampleRows,
      sample_size: each((format) => files[sampleOf(format)]?.length),
    }),
    ...overrides,
  };
  // Unusual whitespace, because the document must be stored byte for byte.
  return { document: Buffer.from(`${JSON.stringify(document, null, 3)} \r\n`), files };
}

export function csvOf(rows: number, mark = ""): string {
  const lines = Array.from({ length: rows }, (_, i) => `192.0.2.${i}/32,"${mark}One,\nand the ""other"""`);
  return [COLUMNS.join(","), ...lines, ""].join("\n");
}

/** An mmdb with one node: no record on the left, a string on the right. */
export function mmdbOf(text: string, metadata: Partial<Record<"nodeCount" | "recordSizeBits", number>> = {}): Buffer {
  const { nodeCount = 1, recordSizeBits = 24 } = metadata;
  const tree = Buffer.from([0, 0, 1, 0, 0, 17]);
  return Buffer.concat([tree, Buffer.alloc(16), mmdbText(text), mmdbMetadata({ nodeCount, recordSizeBits })]);
}

export function mmdbMetadata({ nodeCount, recordSizeBits }: { nodeCount: number; recordSizeBits: number }): Buffer {
  return encodeMetadata(
    { databaseType: "test", description: { en: "For tests" }, languages: ["en"], buildEpochSeconds: 1_700_000_000 },
    { nodeCount, recordSizeBits, ipVersion: 4 },
  );
}

/** Encodes a string, padded to the length from which on a size has three bytes. */
function mmdbText(text: string): Buffer {
  const padded = text.padEnd(70_000, ".");
  const length = padded.length - 65_821;
  return Buffer.concat([Buffer.from([0x5f, length >> 16, (length >> 8) & 255, length & 255]), Buffer.from(padded)]);
}

/** Splits bytes into chunks, cycling through the given sizes. */
export function* inChunks(bytes: Buffer, ...sizes: number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
