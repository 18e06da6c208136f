import { ExportFault } from "../export-fault.ts";
import { COLUMN_TYPES, type ColumnType } from "./column-type.ts";

/** Types of columns that contain the network of a row, or one end of it. */
const KEY_TYPES = ["network", "first_ip", "last_ip"] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/** The properties of a column that are known before its data is read. */
export interface ColumnSpec {
  name: string;
  /** Default: inferred from the data. */
  type?: ColumnType | KeyType;
  description?: string;
}

/** Reads a list of columns: a JSON array of specs, or lines of `name:type[:description]` with `#` comments. */
export function parseColumnSpecs(text: string): ColumnSpec[] {
  const entries = text.trimStart().startsWith("[") ? parseJson(text) : parseLines(text);
  const faults: string[] = [];
  const specs: ColumnSpec[] = [];
  for (const { where, name, type, description } of entries) {
    if (typeof name !== "string" || name === "") faults.push(`${where}: a column needs a name`);
    else if (type !== undefined && !isKnownType(type)) faults.push(`${where}: ${unknownType(type)}`);
    else if (description !== undefined && typeof description !== "string") {
      faults.push(`${where}: the description must be a string`);
    } else specs.push({ name, ...(type && { type }), ...(description && { description }) });
  }
  if (faults.length > 0) throw new ExportFault(faults);
  return specs;
}

interface Entry {
  where: string;
  name?: unknown;
  type?: unknown;
  description?: unknown;
}

function parseLines(text: string): Entry[] {
  const entries: Entry[] = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const [name, type, ...description] = line.split(":");
    entries.push({
      where: `columns, line ${i + 1}`,
      name: name?.trim(),
      type: type?.trim() || undefined,
      description: description.join(":").trim() || undefined,
    });
  }
  return entries;
}

function parseJson(text: string): Entry[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new ExportFault([`columns: not valid JSON: ${error instanceof Error ? error.message : error}`]);
  }
  return (list as unknown[]).map((entry, i) => ({
    ...(typeof entry === "object" && entry !== null ? entry : {}),
    where: `columns, entry ${i + 1}`,
  }));
}

export function isKnownType(type: unknown): type is ColumnType | KeyType {
  return COLUMN_TYPES.includes(type as ColumnType) || KEY_TYPES.includes(type as KeyType);
}

function unknownType(type: unknown): string {
  return `${JSON.stringify(type)} is not a type; choose from ${[...COLUMN_TYPES, ...KEY_TYPES].join(", ")}`;
}
