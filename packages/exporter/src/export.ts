import { mkdir, stat, writeFile } from "node:fs/promises";
import { type ByFormat, type FileKind, type Format, fileName, sampleOf } from "@dbdepot/contract/shared/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { InputReader } from "./input-reader.ts";
import { describeBuild } from "./metadata-document.ts";
import { checkOptions, type ExportOptions } from "./options.ts";
import { SampleReader } from "./sample-reader.ts";
import { Staging } from "./staging.ts";
import { type MmdbSource, writeCsv, writeMmdb } from "./write-files.ts";

export type ExportedFiles = ByFormat<{ path: string; sizeBytes: number }>;

export interface ExportResult {
  entries: number;
  files: ExportedFiles;
  /** Undefined without `sampleRows`. */
  sample: { entries: number; files: ExportedFiles } | undefined;
  metadataPath: string;
  /** The content of the document at `metadataPath`. */
  metadata: DatabaseMetadata;
  /** Problems that do not prevent the export. */
  warnings: string[];
}

/**
 * Writes the files of a build: `<id>.csv.gz`, `<id>.mmdb` and `<id>.metadata.json`, and samples if `sampleRows` is set.
 * Throws an ExportFault if the input is invalid; then no file is written. The same input always gives the same bytes.
 */
export async function exportDatabase(options: ExportOptions): Promise<ExportResult> {
  const { id, outDir, updated } = options;
  const { base } = checkOptions(options);
  await mkdir(outDir, { recursive: true });
  const staging = new Staging(outDir);
  try {
    const csvPath = staging.pathOf(fileName(id, "csvgz"));
    const reader = new InputReader(base, options);
    await writeCsv(csvPath, reader.csvText());
    const { rows, bytesRead } = reader;
    const { columns, formats } = rows.table;
    const full = { csvPath, columns, types: rows.types(), networks: rows.networks, entries: rows.entries };
    const warnings = formats.includes("mmdb") ? await writeFullMmdb(staging, full, bytesRead, options) : [];
    const sampleEntries = await writeSample(staging, full, reader, options);
    if (sampleEntries === rows.entries) warnings.push("the sample contains all rows of the input");

    const files = await filesOf(staging, id, formats);
    const sample =
      sampleEntries === undefined
        ? undefined
        : { entries: sampleEntries, files: await filesOf(staging, id, formats, sampleOf) };
    const metadata = describeBuild({
      id,
      updated,
      updateFreq: options.updateFreq,
      entries: rows.entries,
      columns,
      types: full.types,
      sample: rows.sample,
      files,
      sampleFiles: sample,
    });
    const metadataName = `${id}.metadata.json`;
    await writeFile(staging.pathOf(metadataName), `${JSON.stringify(metadata, null, 2)}\n`, { flush: true });
    options.signal?.throwIfAborted();
    const kinds: FileKind[] = [...formats, ...(sample ? formats.map(sampleOf) : [])];
    await staging.publish([...kinds.map((kind) => fileName(id, kind)), metadataName]);
    return { entries: rows.entries, files, sample, metadataPath: staging.finalPath(metadataName), metadata, warnings };
  } finally {
    await staging.discard();
  }
}

/** Returns warnings. */
async function writeFullMmdb(
  staging: Staging,
  full: MmdbSource,
  bytesRead: number,
  { id, description = id, updated, signal, onProgress }: ExportOptions,
): Promise<string[]> {
  const label = { databaseType: id, description, updated };
  const onRows = (rows: number) => onProgress?.(bytesRead, rows, "mmdb");
  const repeated = await writeMmdb(staging.pathOf(fileName(id, "mmdb")), full, label, { onRows, signal });
  if (repeated === 0) return [];
  const rows = repeated === 1 ? "1 row repeats" : `${repeated} rows repeat`;
  return [`${rows} a network: the mmdb has the last row of each network, the csv.gz has all rows`];
}

/** Returns the number of rows in the sample, or undefined if no sample was requested. */
async function writeSample(
  staging: Staging,
  full: MmdbSource,
  { rows, bytesRead }: InputReader,
  { id, description = id, updated, sampleRows, signal, onProgress }: ExportOptions,
): Promise<number | undefined> {
  if (sampleRows === undefined) return undefined;
  const sample = new SampleReader(full.csvPath, rows, sampleRows, (read) => {
    signal?.throwIfAborted();
    onProgress?.(bytesRead, read, "sample");
  });
  const csvPath = staging.pathOf(fileName(id, "sample_csvgz"));
  await writeCsv(csvPath, sample.csvText());
  const { entries, networks } = sample;
  if (rows.table.formats.includes("mmdb")) {
    const label = {
      databaseType: `${id}_sample`,
      description: `${description} (sample: ${entries} of ${full.entries} rows)`,
      updated,
    };
    const source = { ...full, csvPath, networks, entries };
    await writeMmdb(staging.pathOf(fileName(id, "sample_mmdb")), source, label, { signal });
  }
  return entries;
}

/** The staged files with their final paths. */
async function filesOf(
  staging: Staging,
  id: string,
  formats: readonly Format[],
  kindOf: (format: Format) => FileKind = (format) => format,
): Promise<ExportedFiles> {
  const files: ExportedFiles = {};
  for (const format of formats) {
    const name = fileName(id, kindOf(format));
    files[format] = { path: staging.finalPath(name), sizeBytes: (await stat(staging.pathOf(name))).size };
  }
  return files;
}
