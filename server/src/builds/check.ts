import { isProviderFamily } from "@dbdepot/contract/database-id";
import { type ByFormat, FORMATS, type Format } from "@dbdepot/contract/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/metadata";
import type { Version } from "../catalogue/version.ts";
import type { BuildFile } from "./build.ts";
import { type ReadDocument, readDocument } from "./document.ts";
import type { FileReport } from "./inspection/report.ts";

const MAX_SAMPLE_FAULTS = 20;
const MAX_HEADER_CHARACTERS = 200;

/** A stored file and what its inspection found. */
export interface ReceivedFile extends Pick<BuildFile, "sizeBytes"> {
  report: FileReport;
}

/** Finds every fault of a build's metadata document and files, and where they contradict each other. */
export function findFaults(version: Version, document: Buffer, files: ByFormat<ReceivedFile>): string[] {
  const read = readDocument(document);
  return [
    ...documentFaults(version, read).map((fault) => `metadata: ${fault}`),
    ...FORMATS.flatMap((format) =>
      fileFaults(version, format, files[format], read).map((fault) => `${format}: ${fault}`),
    ),
  ];
}

function documentFaults(version: Version, read: ReadDocument): string[] {
  if ("faults" in read) return read.faults;
  const { metadata } = read;
  const faults = metadata.id === version.id ? [] : [`id is ${metadata.id}, expected ${version.id}`];
  for (const field of ["schema", "size"] as const) {
    for (const format of version.formats) {
      if (metadata[field][format] === undefined) faults.push(`${field}.${format} is missing`);
    }
  }
  for (const field of ["schema", "size", "sample"] as const) {
    for (const format of FORMATS) {
      if (metadata[field]?.[format] !== undefined && !version.formats.includes(format)) {
        faults.push(`${field}.${format}: ${notBuiltIn(version, format)}`);
      }
    }
  }
  return [...faults, ...FORMATS.flatMap((format) => sampleFaults(metadata, format))];
}

function notBuiltIn(version: Version, format: Format): string {
  const why = format === "mmdb" && isProviderFamily(version.base) ? " because it is keyed by provider id" : "";
  return `${version.id} has no ${format}${why}`;
}

/** Each sample row must have exactly the schema's columns. */
function sampleFaults({ schema, sample }: DatabaseMetadata, format: Format): string[] {
  const columns = new Set(schema[format]?.map(({ name }) => name));
  if (!schema[format]) return [];
  const faults: string[] = [];
  for (const [i, row] of (sample?.[format] ?? []).entries()) {
    const where = `sample.${format}, row ${i + 1}`;
    for (const name of columns) if (!Object.hasOwn(row, name)) faults.push(`${where}: "${name}" is missing`);
    for (const name of Object.keys(row)) {
      if (!columns.has(name)) faults.push(`${where}: "${name}" is not in the schema`);
    }
    if (faults.length > MAX_SAMPLE_FAULTS) break;
  }
  return faults.slice(0, MAX_SAMPLE_FAULTS);
}

function fileFaults(version: Version, format: Format, file: ReceivedFile | undefined, read: ReadDocument): string[] {
  const isExpected = version.formats.includes(format);
  if (!file) return isExpected ? ["the file is missing"] : [];
  if (!isExpected) return [notBuiltIn(version, format)];
  const { faults, table } = file.report;
  if (!("metadata" in read)) return faults;
  const { size, schema, entries } = read.metadata;
  const contradictions: string[] = [];
  if (size[format] !== undefined && size[format] !== file.sizeBytes) {
    contradictions.push(`has ${file.sizeBytes} bytes, metadata says ${size[format]}`);
  }
  if (table && table.entries !== entries) contradictions.push(`has ${table.entries} rows, metadata says ${entries}`);
  const columns = schema[format]?.map(({ name }) => name);
  if (table && columns && !isEqual(table.header, columns)) {
    contradictions.push(`header is ${quote(table.header)}, metadata says ${quote(columns)}`);
  }
  return [...faults, ...contradictions];
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

/** Truncates, because the header of a file that is not a table can have any length. */
function quote(names: readonly string[]): string {
  const text = names.join(",");
  return text.length > MAX_HEADER_CHARACTERS ? `"${text.slice(0, MAX_HEADER_CHARACTERS)}…"` : `"${text}"`;
}
