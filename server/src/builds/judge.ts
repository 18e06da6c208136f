import { isProviderFamily } from "@dbdepot/contract/database-id";
import { type ByFormat, FORMATS, type Format } from "@dbdepot/contract/formats";
import type { DatabaseMetadata } from "@dbdepot/contract/metadata";
import type { Version } from "../catalogue/version.ts";
import type { BuildFile } from "./build.ts";
import { type ReadDocument, readDocument } from "./document.ts";
import { FaultTally } from "./inspection/fault-tally.ts";
import type { FileFindings } from "./inspection/findings.ts";

/** A file that has arrived, with what was found in it. */
export interface ArrivedFile extends Pick<BuildFile, "sizeBytes"> {
  findings: FileFindings;
}

/** All that is wrong with a build's document and files, by themselves and with each other. */
export function judge(version: Version, document: Buffer, files: ByFormat<ArrivedFile>): string[] {
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
  const faults = metadata.id === version.id ? [] : [`id: it is about ${metadata.id}, not ${version.id}`];
  for (const field of ["schema", "size"] as const) {
    for (const format of version.formats) {
      if (metadata[field][format] === undefined)
        faults.push(`${field}: ${format} is missing, and ${version.id} is built in it`);
    }
  }
  for (const field of ["schema", "size", "sample"] as const) {
    for (const format of FORMATS) {
      if (metadata[field]?.[format] !== undefined && !version.formats.includes(format)) {
        faults.push(`${field}: ${notBuiltIn(version, format)}`);
      }
    }
  }
  return [...faults, ...FORMATS.flatMap((format) => sampleFaults(metadata, format))];
}

function notBuiltIn(version: Version, format: Format): string {
  const why =
    format === "mmdb" && isProviderFamily(version.base) ? ": it is keyed by provider id and has no addresses" : "";
  return `${version.id} is not built in ${format}${why}`;
}

/** A row of the sample has each column of the schema, and nothing else. */
function sampleFaults({ schema, sample }: DatabaseMetadata, format: Format): string[] {
  const columns = schema[format]?.map(({ name }) => name);
  if (!columns) return [];
  const faults = new FaultTally();
  for (const [i, row] of (sample?.[format] ?? []).entries()) {
    const where = `sample: row ${i + 1} of ${format}`;
    for (const name of columns) if (!Object.hasOwn(row, name)) faults.add(`${where} has no "${name}"`);
    for (const name of Object.keys(row)) {
      if (!columns.includes(name)) faults.add(`${where} has "${name}", which is not in the schema`);
    }
  }
  return faults.list();
}

function fileFaults(version: Version, format: Format, file: ArrivedFile | undefined, read: ReadDocument): string[] {
  const isWanted = version.formats.includes(format);
  if (!file) return isWanted ? [`there is no such file, and ${version.id} is built in it`] : [];
  if (!isWanted) return [notBuiltIn(version, format)];
  const { faults, table } = file.findings;
  if (!("metadata" in read)) return faults;
  const { size, schema, entries } = read.metadata;
  const disagreements: string[] = [];
  if (size[format] !== undefined && size[format] !== file.sizeBytes) {
    disagreements.push(`it has ${file.sizeBytes} bytes, and the metadata says ${size[format]}`);
  }
  if (table && table.entries !== entries) {
    disagreements.push(`it has ${table.entries} rows, and the metadata says ${entries}`);
  }
  const columns = schema[format]?.map(({ name }) => name);
  if (table && columns && !isSame(table.header, columns)) {
    disagreements.push(`its header is ${listed(table.header)}, and the schema has ${listed(columns)}`);
  }
  return [...faults, ...disagreements];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, i) => name === other[i]);
}

/** A file that is no table at all can have a header of any length. */
function listed(names: readonly string[]): string {
  const text = names.join(",");
  return text.length > HEADER_SHOWN_LENGTH ? `"${text.slice(0, HEADER_SHOWN_LENGTH)}…"` : `"${text}"`;
}

const HEADER_SHOWN_LENGTH = 200;
