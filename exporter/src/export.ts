import { createWriteStream } from "node:fs";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type ByFormat, type Format, fileName } from "@dbdepot/contract/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/metadata";
import type { ColumnType } from "./columns/column-type.ts";
import { FirstReading } from "./first-reading.ts";
import { describeBuild } from "./metadata-document.ts";
import { layOutMmdb } from "./mmdb/writer.ts";
import { checkOptions, type ExportOptions, epochSeconds } from "./options.ts";
import { encodeRecords } from "./records.ts";
import { Staging } from "./staging.ts";

/** Part of what makes the same input the same bytes. */
const GZIP_LEVEL = 6;

export interface ExportResult {
  entries: number;
  files: ByFormat<{ path: string; sizeBytes: number }>;
  metadataPath: string;
  /** What the document at `metadataPath` says. */
  metadata: DatabaseMetadata;
  /** What the operator should know, though it stops nothing. */
  warnings: string[];
}

/**
 * Makes the files of a build: `<id>.csv.gz`, `<id>.mmdb` and `<id>.metadata.json`, all of
 * them or, with an ExportFault, none. The same input gives the same bytes.
 */
export async function exportDatabase(options: ExportOptions): Promise<ExportResult> {
  const { id, outDir } = options;
  const { base } = checkOptions(options);
  await mkdir(outDir, { recursive: true });
  const staging = new Staging(outDir);
  try {
    const csvPath = staging.pathOf(fileName(id, "csvgz"));
    const reading = new FirstReading(base, options);
    await writeCsv(csvPath, reading);
    const { survey } = reading;
    const { formats } = survey.table;
    const types = survey.types();
    const warnings = formats.includes("mmdb")
      ? await writeMmdb(staging.pathOf(fileName(id, "mmdb")), csvPath, reading, types, options)
      : [];
    const sizeBytes = await sizesOf(staging, id, formats);
    const metadata = describeBuild({
      id,
      updated: options.updated,
      updateFreq: options.updateFreq,
      entries: survey.entries,
      columns: survey.table.columns,
      types,
      sample: survey.sample,
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
    return { entries: survey.entries, files, metadataPath: staging.finalPath(metadataName), metadata, warnings };
  } finally {
    await staging.discard();
  }
}

async function writeCsv(path: string, reading: FirstReading): Promise<void> {
  await pipeline(reading.csvText(), createGzip({ level: GZIP_LEVEL }), createWriteStream(path, { flush: true }));
}

async function writeMmdb(
  path: string,
  csvPath: string,
  { survey, bytesRead }: FirstReading,
  types: ColumnType[],
  options: ExportOptions,
): Promise<string[]> {
  const { id, description = id, updated, signal, onProgress } = options;
  const { data, offsets } = await encodeRecords(csvPath, survey.table.columns, types, survey.entries, (rows) => {
    signal?.throwIfAborted();
    onProgress?.(bytesRead, rows, "mmdb");
  });
  const layout = layOutMmdb({
    networks: survey.networks,
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
