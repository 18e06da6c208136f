import { createWriteStream } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type ByFormat, type Format, fileName } from "@dbdepot/contract/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/metadata";
import type { ColumnType } from "./columns/column-type.ts";
import { InputReader } from "./input-reader.ts";
import { describeBuild } from "./metadata-document.ts";
import { layOutMmdb } from "./mmdb/writer.ts";
import { checkOptions, type ExportOptions, epochSeconds } from "./options.ts";
import { encodeRecords } from "./records.ts";
import { Staging } from "./staging.ts";

/** Fixed, so that the same input always gives the same bytes. */
const GZIP_LEVEL = 6;

export interface ExportResult {
  entries: number;
  files: ByFormat<{ path: string; sizeBytes: number }>;
  metadataPath: string;
  /** The content of the document at `metadataPath`. */
  metadata: DatabaseMetadata;
  /** Problems that do not prevent the export. */
  warnings: string[];
}

/**
 * Writes the files of a build: `<id>.csv.gz`, `<id>.mmdb` and `<id>.metadata.json`. Throws an ExportFault if the input is
 * invalid; then no file is written. The same input always gives the same bytes.
 */
export async function exportDatabase(options: ExportOptions): Promise<ExportResult> {
  const { id, outDir } = options;
  const { base } = checkOptions(options);
  await mkdir(outDir, { recursive: true });
  const staging = new Staging(outDir);
  try {
    const csvPath = staging.pathOf(fileName(id, "csvgz"));
    const reader = new InputReader(base, options);
    await writeCsv(csvPath, reader);
    const { rows } = reader;
    const { formats } = rows.table;
    const types = rows.types();
    const warnings = formats.includes("mmdb")
      ? await writeMmdb(staging.pathOf(fileName(id, "mmdb")), csvPath, reader, types, options)
      : [];
    const sizeBytes = await sizesOf(staging, id, formats);
    const metadata = describeBuild({
      id,
      updated: options.updated,
      updateFreq: options.updateFreq,
      entries: rows.entries,
      columns: rows.table.columns,
      types,
      sample: rows.sample,
      sizeBytes,
    });
    const metadataName = `${id}.metadata.json`;
    await writeFile(staging.pathOf(metadataName), `${JSON.stringify(metadata, null, 2)}\n`, { flush: true });
    options.signal?.throwIfAborted();
    await staging.publish([...formats.map((format) => fileName(id, format)), metadataName]);
    const files: ExportResult["files"] = {};
    for (const format of formats) {
      files[format] = { path: staging.finalPath(fileName(id, format)), sizeBytes: sizeBytes[format] ?? 0 };
    }
    return { entries: rows.entries, files, metadataPath: staging.finalPath(metadataName), metadata, warnings };
  } finally {
    await staging.discard();
  }
}

async function writeCsv(path: string, reader: InputReader): Promise<void> {
  await pipeline(reader.csvText(), createGzip({ level: GZIP_LEVEL }), createWriteStream(path, { flush: true }));
}

async function writeMmdb(
  path: string,
  csvPath: string,
  { rows: { table, networks, entries }, bytesRead }: InputReader,
  types: ColumnType[],
  options: ExportOptions,
): Promise<string[]> {
  const { id, description = id, updated, signal, onProgress } = options;
  const { data, offsets } = await encodeRecords(csvPath, table.columns, types, entries, (rows) => {
    signal?.throwIfAborted();
    onProgress?.(bytesRead, rows, "mmdb");
  });
  const layout = layOutMmdb({
    networks,
    data,
    offsetOf: (row) => offsets[row] as number,
    about: {
      databaseType: id,
      description: { en: description },
      languages: ["en"],
      buildEpochSeconds: epochSeconds(updated),
    },
  });
  await pipeline(layout.bytes, createWriteStream(path, { flush: true }), { signal });
  const { repeatedNetworks } = layout;
  if (repeatedNetworks === 0) return [];
  const rows = repeatedNetworks === 1 ? "1 row names" : `${repeatedNetworks} rows name`;
  return [`${rows} a network again: the mmdb has the last row of each, the csv.gz has all`];
}

async function sizesOf(staging: Staging, id: string, formats: readonly Format[]): Promise<ByFormat<number>> {
  const sizes: ByFormat<number> = {};
  for (const format of formats) sizes[format] = (await stat(staging.pathOf(fileName(id, format)))).size;
  return sizes;
}
