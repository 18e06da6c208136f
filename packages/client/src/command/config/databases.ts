import { parseList } from "@dbdepot/terminal/values";
import { isDatabaseId } from "../../api/incoming.ts";
import type { Format } from "../../api/wire.gen.ts";
import { FORMATS, fileNameOf } from "../formats.ts";
import { formats, requireArray, requireString, type SettingType } from "./setting-types.ts";

/** A database to keep up to date. */
export interface WantedDatabase {
  id: string;
  /** Overrides the formats of all databases. */
  formats?: Format[];
  /** The name of its only file (default: the id and the format's extension). */
  file?: string;
  /** Chosen by `--all`, so a version without a build is not a failure. */
  isFromCatalogue?: boolean;
}

/** Refuses hidden files, directories and characters that are special in a shell. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;
const FIELDS = ["id", "formats", "file"];

export const databases: SettingType<WantedDatabase[]> = {
  fromText: (text) => withoutConflicts(parseList(text).map((id) => ({ id: requireId(id) }))),
  fromToml: (value) => withoutConflicts(parseEach(requireArray(value, '["vpn_ip_v1", "bogon_ip_v1"]'))),
  show: (value) =>
    value
      .map(({ id, formats, file }) => [
        id,
        ...(formats ? [`as ${formats.join("+")}`] : []),
        ...(file ? [`in ${file}`] : []),
      ])
      .map((words) => words.join(" "))
      .join(", "),
};

export function requireId(text: string): string {
  if (isDatabaseId(text)) return text;
  throw new Error(`"${text}" is not a database id such as vpn_ip_v1`);
}

/** Returns all databases, or throws one error with the problems of all of them. */
function parseEach(values: readonly unknown[]): WantedDatabase[] {
  const problems: string[] = [];
  const parsed = values.flatMap((value) => {
    try {
      return [parseDatabase(value)];
    } catch (error) {
      problems.push((error as Error).message);
      return [];
    }
  });
  if (problems.length > 0) throw new Error(problems.join("; "));
  return parsed;
}

function parseDatabase(value: unknown): WantedDatabase {
  if (typeof value === "string") return { id: requireId(value) };
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Date) {
    throw new Error('each database must be an id or a table like { id = "vpn_ip_v1" }');
  }
  return parseTable(value as Record<string, unknown>);
}

function parseTable(table: Record<string, unknown>): WantedDatabase {
  if (table.id === undefined) throw new Error("a database has no id");
  const database: WantedDatabase = { id: requireId(requireString(table.id)) };
  try {
    const unknown = Object.keys(table).find((name) => !FIELDS.includes(name));
    if (unknown !== undefined) throw new Error(`unknown field "${unknown}": use ${FIELDS.join(", ")}`);
    if (table.formats !== undefined) database.formats = formats.fromToml(table.formats, "");
    if (table.file !== undefined) database.file = requireFileName(requireString(table.file), database.formats);
    return database;
  } catch (error) {
    throw new Error(`${database.id}: ${(error as Error).message}`);
  }
}

function requireFileName(file: string, own: readonly Format[] | undefined): string {
  if (!FILE_NAME.test(file)) throw new Error(`"${file}" is not a plain file name`);
  if (own?.length !== 1) throw new Error('"file" needs "formats" with exactly one format');
  return file;
}

/** Two databases with the same file would overwrite each other. */
function withoutConflicts(all: WantedDatabase[]): WantedDatabase[] {
  const owners = new Map<string, string>();
  for (const { id, file } of all) {
    const names = file === undefined ? FORMATS.map((format) => fileNameOf(id, format)) : [file];
    for (const name of names) {
      const owner = owners.get(name);
      if (owner === id) throw new Error(`${id} is listed twice`);
      if (owner !== undefined) throw new Error(`${owner} and ${id} would use the same file, ${name}`);
      owners.set(name, id);
    }
  }
  return all;
}
