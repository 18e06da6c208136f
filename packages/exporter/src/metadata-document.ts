import type { ByFormat, Format } from "@dbdepot/contract/shared/formats";
import type { Column, DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import { type ColumnType, mmdbType, parseCell, toJson } from "./columns/column-type.ts";
import type { TableColumn } from "./table.ts";

type Files = ByFormat<{ sizeBytes: number }>;

export interface BuildFacts {
  id: string;
  updated: string;
  updateFreq: string | undefined;
  entries: number;
  columns: readonly TableColumn[];
  types: readonly ColumnType[];
  /** A few rows of the CSV file. */
  sample: readonly string[][];
  files: Files;
  /** Undefined if there are no sample files. */
  sampleFiles: { entries: number; files: Files } | undefined;
}

/** The metadata document of a build. A sample row has exactly the columns of its format's schema. */
export function describeBuild(facts: BuildFacts): DatabaseMetadata {
  const formats = Object.keys(facts.files) as Format[];
  const forEachFormat = <T>(make: (format: Format) => T): ByFormat<T> =>
    Object.fromEntries(formats.map((format) => [format, make(format)]));
  return {
    id: facts.id,
    ...(facts.updateFreq !== undefined && { update_freq: facts.updateFreq }),
    updated: facts.updated,
    entries: facts.entries,
    schema: forEachFormat((format) => schemaOf(format, facts)),
    sample: forEachFormat((format) => facts.sample.map((cells) => sampleRow(format, facts, cells))),
    size: forEachFormat((format) => facts.files[format]?.sizeBytes ?? 0),
    ...(facts.sampleFiles && {
      sample_entries: facts.sampleFiles.entries,
      sample_size: forEachFormat((format) => facts.sampleFiles?.files[format]?.sizeBytes ?? 0),
    }),
  };
}

function schemaOf(format: Format, facts: BuildFacts): Column[] {
  return columnIndexes(format, facts).map((index) => {
    const { name, description } = facts.columns[index] as TableColumn;
    const type = facts.types[index] as ColumnType;
    return {
      name,
      type: format === "mmdb" ? mmdbType(type) : type,
      ...(description !== undefined && { description }),
    };
  });
}

function sampleRow(format: Format, facts: BuildFacts, cells: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    columnIndexes(format, facts).map((index) => {
      const { name } = facts.columns[index] as TableColumn;
      const cell = cells[index] as string;
      const value = cell === "" ? undefined : parseCell(facts.types[index] as ColumnType, cell);
      return [name, value === undefined ? null : toJson(value)];
    }),
  );
}

/** The indexes of a format's columns. In an mmdb the network is in the tree and is not a field. */
function columnIndexes(format: Format, { columns }: BuildFacts): number[] {
  return [...columns.keys()].filter((index) => format !== "mmdb" || !columns[index]?.isKey);
}
