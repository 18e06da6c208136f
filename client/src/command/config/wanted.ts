import { parseList } from "@dbdepot/terminal/values";
import type { Format } from "../../wire.ts";
import { FORMATS, fileNameOf } from "../formats.ts";
import { formats, type Kind, requireString } from "./kinds.ts";
import { eachInLine, inLine } from "./line-faults.ts";
import type { TomlTable, TomlValue } from "./toml.ts";

/** A database to keep up to date. */
export interface Wanted {
  id: string;
  /** Left out: as for all the others. */
  formats?: Format[];
  /** What its one file is called; left out: its id and the format's ending. */
  file?: string;
}

const ID = /^[a-zA-Z0-9_]{1,64}$/;
/** Nothing hidden, no folders, nothing that a shell would take apart. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

export const databases: Kind<Wanted[]> = {
  fromText: (text) => distinct(parseList(text).map((id) => ({ id: requireId(id) }))),
  fromToml: (value) => {
    if (value.type !== "array") throw new Error('this must be a list, like ["vpn_ip_v1", "bogon_ip_v1"]');
    return distinct(eachInLine(value.items, wantedFrom));
  },
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
  if (ID.test(text)) return text;
  throw new Error(`"${text}" is no id like vpn_ip_v1`);
}

function wantedFrom(value: TomlValue): Wanted {
  if (value.type === "string") return { id: requireId(value.value) };
  if (value.type !== "table") throw new Error('a database is an id, or a table like { id = "vpn_ip_v1" }');
  return fromTable(value);
}

function fromTable({ entries }: TomlTable): Wanted {
  for (const name of entries.keys()) {
    if (!["id", "formats", "file"].includes(name)) throw new Error(`a database has no "${name}"`);
  }
  const [id, own, file] = [entries.get("id"), entries.get("formats"), entries.get("file")];
  if (!id) throw new Error("the database's id is missing");
  const wanted: Wanted = { id: requireId(requireString(id)) };
  if (own) wanted.formats = inLine(own.line, () => formats.fromToml(own, ""));
  if (file) wanted.file = requireString(file);
  if (wanted.file !== undefined && !FILE_NAME.test(wanted.file)) {
    throw new Error(`"${wanted.file}" is no plain file name`);
  }
  if (wanted.file !== undefined && wanted.formats?.length !== 1) {
    throw new Error(`${wanted.id} has a file of its own, so it needs "formats" with exactly one format`);
  }
  return wanted;
}

/** Two databases in one file would replace each other for ever. */
function distinct(all: Wanted[]): Wanted[] {
  const owners = new Map<string, string>();
  for (const { id, file } of all) {
    const names = file === undefined ? FORMATS.map((format) => fileNameOf(id, format)) : [file];
    for (const name of names) {
      const owner = owners.get(name);
      if (owner === id) throw new Error(`${id} is there twice`);
      if (owner !== undefined) throw new Error(`${owner} and ${id} would be the same file, ${name}`);
      owners.set(name, id);
    }
  }
  return all;
}
