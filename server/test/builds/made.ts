import { gzipSync } from "node:zlib";
import { type ByFormat, FORMATS, type Format } from "@dbdepot/contract/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/metadata";
import { encodeMetadata } from "@dbdepot/exporter/mmdb/metadata";

/** What an exporter hands over. */
export interface Made {
  document: Buffer;
  files: ByFormat<Buffer>;
}

export interface MakeOptions {
  rows?: number;
  updated?: string;
  formats?: readonly Format[];
  /** Makes the files' bytes different from those of another build; as long as any other one. */
  mark?: string;
  /** What the document says instead of what is so. */
  saying?: Partial<Record<keyof DatabaseMetadata, unknown>>;
}

const COLUMNS = ["network", "provider"];

/** A small build with nothing wrong about it, unless it is asked for. Written by hand, to lean on nothing of ours. */
export function made(id: string, options: MakeOptions = {}): Made {
  const { rows = 100, updated = "2026-11-01", formats = FORMATS, mark = "", saying = {} } = options;
  const files: ByFormat<Buffer> = {};
  // Stored, not packed: its size tells how many rows it has.
  if (formats.includes("csvgz")) files.csvgz = gzipSync(csvOf(rows, mark), { level: 0 });
  if (formats.includes("mmdb")) files.mmdb = mmdbOf(`${mark}${"x".repeat(rows)}`);
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
    ...saying,
  };
  // Not as JSON.stringify writes it: what is stored must be these bytes, not their meaning.
  return { document: Buffer.from(`${JSON.stringify(document, null, 3)} \r\n`), files };
}

export function csvOf(rows: number, mark = ""): string {
  const lines = Array.from({ length: rows }, (_, i) => `192.0.2.${i}/32,"${mark}One,\nand the ""other"""`);
  return [COLUMNS.join(","), ...lines, ""].join("\n");
}

/** One node: nothing to its left, one text to its right. */
export function mmdbOf(text: string, about: Partial<Record<"nodeCount" | "recordSizeBits", number>> = {}): Buffer {
  const { nodeCount = 1, recordSizeBits = 24 } = about;
  const tree = Buffer.from([0, 0, 1, 0, 0, 17]);
  return Buffer.concat([tree, Buffer.alloc(16), mmdbText(text), mmdbMetadata({ nodeCount, recordSizeBits })]);
}

export function mmdbMetadata({ nodeCount, recordSizeBits }: { nodeCount: number; recordSizeBits: number }): Buffer {
  return encodeMetadata(
    { databaseType: "test", description: { en: "For tests" }, languages: ["en"], buildEpochSeconds: 1_700_000_000 },
    { nodeCount, recordSizeBits, ipVersion: 4 },
  );
}

/** A string of 65,821 characters or more has a control byte and three bytes of length; a short one pads. */
function mmdbText(text: string): Buffer {
  const padded = text.padEnd(70_000, ".");
  const length = padded.length - 65_821;
  return Buffer.concat([Buffer.from([0x5f, length >> 16, (length >> 8) & 255, length & 255]), Buffer.from(padded)]);
}

/** In pieces of these sizes, again and again, as a network might bring them. */
export function* inPieces(bytes: Buffer, ...sizes: number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? bytes.length;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
