import { isProviderFamily } from "@dbdepot/contract/shared/database-id";
import { type ByFileKind, FORMATS, type Format, sampleOf } from "@dbdepot/contract/shared/formats";
import type { Column } from "@dbdepot/contract/v2/metadata";
import type { Version } from "../../catalogue/version.ts";
import type { BuildFile } from "../build.ts";
import type { FileReport } from "../inspection/report.ts";
import type { ParsedDocument } from "../parse-document.ts";

const MAX_HEADER_CHARACTERS = 200;
/**
 * A sample with all rows is larger than the full mmdb because of its label, and a tree can grow if rows between equal
 * ones are omitted. This is the maximum size of an mmdb's metadata.
 */
const SAMPLE_LABEL_MAX_BYTES = 128 * 1024;

/** A stored file and what its inspection found. */
export interface ReceivedFile extends Pick<BuildFile, "sizeBytes"> {
  report: FileReport;
}

/** Finds every fault of a build's metadata document and files, and where they contradict each other. */
export function findFaults(version: Version, document: ParsedDocument, files: ByFileKind<ReceivedFile>): string[] {
  return [
    ...documentFaults(version, document).map((fault) => `metadata: ${fault}`),
    ...FORMATS.flatMap((format) =>
      fileFaults(version, format, files[format], document).map((fault) => `${format}: ${fault}`),
    ),
    ...FORMATS.flatMap((format) =>
      sampleFaults(version, format, files, document).map((fault) => `${sampleOf(format)}: ${fault}`),
    ),
  ];
}

function documentFaults(version: Version, document: ParsedDocument): string[] {
  if ("faults" in document) return document.faults;
  const { metadata } = document;
  const faults = metadata.id === version.id ? [] : [`id is ${metadata.id}, expected ${version.id}`];
  for (const field of ["schema", "size"] as const) {
    for (const format of version.formats) {
      if (metadata[field][format] === undefined) faults.push(`${field}.${format} is missing`);
    }
  }
  const formats = {
    schema: Object.keys(metadata.schema) as Format[],
    size: Object.keys(metadata.size) as Format[],
    sample: metadata.sampleFormats,
  };
  for (const [field, given] of Object.entries(formats)) {
    const unexpected = given.filter((format) => !version.formats.includes(format));
    faults.push(...unexpected.map((format) => `${field}.${format}: ${notBuiltIn(version, format)}`));
  }
  return [...faults, ...metadata.sampleFaults];
}

function notBuiltIn(version: Version, format: Format): string {
  const why = format === "mmdb" && isProviderFamily(version.base) ? " because it is keyed by provider id" : "";
  return `${version.id} has no ${format}${why}`;
}

function fileFaults(
  version: Version,
  format: Format,
  file: ReceivedFile | undefined,
  document: ParsedDocument,
): string[] {
  const isExpected = version.formats.includes(format);
  if (!file) return isExpected ? ["the file is missing"] : [];
  if (!isExpected) return [notBuiltIn(version, format)];
  const { faults, table } = file.report;
  if ("faults" in document) return faults;
  const { size, schema, entries } = document.metadata;
  const contradictions: string[] = [];
  if (size[format] !== undefined && size[format] !== file.sizeBytes) {
    contradictions.push(`has ${file.sizeBytes} bytes, metadata says ${size[format]}`);
  }
  if (table && table.entries !== entries) contradictions.push(`has ${table.entries} rows, metadata says ${entries}`);
  return [...faults, ...contradictions, ...headerFaults(table, schema[format])];
}

/** A sample is optional. It must have the same columns as the full file, and no more rows or bytes. */
function sampleFaults(
  version: Version,
  format: Format,
  files: ByFileKind<ReceivedFile>,
  document: ParsedDocument,
): string[] {
  const [sample, full] = [files[sampleOf(format)], files[format]];
  const metadata = "faults" in document ? undefined : document.metadata;
  const size = metadata?.sampleSize[format];
  if (!sample) return size === undefined ? [] : [`the file is missing, metadata says it has ${size} bytes`];
  if (!version.formats.includes(format)) return [notBuiltIn(version, format)];
  const { faults, table } = sample.report;
  const contradictions = headerFaults(table, metadata?.schema[format]);
  if (size !== undefined && size !== sample.sizeBytes) {
    contradictions.push(`has ${sample.sizeBytes} bytes, metadata says ${size}`);
  }
  if (table && metadata?.sampleEntries !== undefined && table.entries !== metadata.sampleEntries) {
    contradictions.push(`has ${table.entries} rows, metadata says ${metadata.sampleEntries}`);
  }
  if (full && sample.sizeBytes > full.sizeBytes + SAMPLE_LABEL_MAX_BYTES) {
    contradictions.push(`has ${sample.sizeBytes} bytes, more than the full file (${full.sizeBytes})`);
  }
  const fullTable = full?.report.table;
  if (table && fullTable && table.entries > fullTable.entries) {
    contradictions.push(`has ${table.entries} rows, more than the full file (${fullTable.entries})`);
  }
  return [...faults, ...contradictions];
}

function headerFaults(table: FileReport["table"], columns: readonly Column[] | undefined): string[] {
  const names = columns?.map(({ name }) => name);
  if (!table || !names || isEqual(table.header, names)) return [];
  return [`header is ${quote(table.header)}, metadata says ${quote(names)}`];
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

/** Truncates, because the header of a file that is not a table can have any length. */
function quote(names: readonly string[]): string {
  const text = names.join(",");
  return text.length > MAX_HEADER_CHARACTERS ? `"${text.slice(0, MAX_HEADER_CHARACTERS)}…"` : `"${text}"`;
}
