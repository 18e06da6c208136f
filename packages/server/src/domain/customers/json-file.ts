import { isUtf8 } from "node:buffer";
import type { LineFaults } from "../../platform/primitives/bad-lines.ts";
import { applies, type ColumnName, columnOf, isColumn, type RawRecord, type RecordKind } from "./columns.ts";
import { doesNotApply } from "./csv-file.ts";

/** The lists of an organization's things, by property. */
const LISTS: Readonly<Record<string, RecordKind>> = {
  licences: "licence",
  accounts: "account",
  keys: "key",
  legacy_keys: "legacy_key",
};
/** The order in which an organization's properties are exported. */
const KIND_LISTS = Object.fromEntries(Object.entries(LISTS).map(([list, kind]) => [kind, list]));

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads organizations with their things inside. A property that is missing says nothing about its value; null is an empty value. */
export function parseCustomersJson(bytes: Buffer, faults: LineFaults, maxRecords: number): RawRecord[] {
  const document = parse(bytes, faults);
  if (document === undefined) return [];
  const lineOf = linesOf(document, bytes.toString());
  if (!isObject(document) || !Array.isArray(document.organizations)) {
    faults.add(1, 'the document must be an object with a list "organizations"');
    return [];
  }
  for (const name of Object.keys(document)) {
    if (name !== "organizations") faults.add(1, `the property "${name}" is unknown`);
  }
  const records: RawRecord[] = [];
  for (const organization of document.organizations) addOrganization(organization);
  if (records.length > maxRecords) {
    faults.add(1, `the file has more than ${maxRecords} records: import it in parts`);
    return [];
  }
  return records;

  function addOrganization(value: unknown): void {
    if (!isObject(value)) {
      faults.add(1, "every entry of organizations must be an object");
      return;
    }
    const line = lineOf(value);
    const { external_id: externalId = "", ...rest } = value;
    const lists = Object.entries(rest).filter(([name]) => Object.hasOwn(LISTS, name));
    const own = Object.entries(rest).filter(([name]) => !Object.hasOwn(LISTS, name));
    if (typeof externalId !== "string") {
      faults.add(line, "external_id must be a string");
      return;
    }
    const organization = externalId.trim();
    records.push({ line, kind: "organization", organization, values: valuesOf("organization", own, line, faults) });
    for (const [name, list] of lists) {
      if (!Array.isArray(list)) faults.add(line, `${name} must be a list`);
      else for (const entry of list) addEntry(LISTS[name] as RecordKind, organization, entry, line);
    }
  }

  function addEntry(kind: RecordKind, organization: string, value: unknown, parentLine: number): void {
    if (!isObject(value)) {
      faults.add(parentLine, `every entry of ${KIND_LISTS[kind]} must be an object`);
      return;
    }
    const line = lineOf(value);
    records.push({ line, kind, organization, values: valuesOf(kind, Object.entries(value), line, faults) });
  }
}

function parse(bytes: Buffer, faults: LineFaults): unknown {
  if (!isUtf8(bytes)) {
    faults.add(1, "the file is not UTF-8 text");
    return undefined;
  }
  const text = bytes.toString().replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message quotes part of the file, which may contain a secret. Only the position is used.
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    const at = position === undefined ? text.length : Number(position);
    faults.add(text.slice(0, at).split("\n").length, "the file is not valid JSON from here on");
    return undefined;
  }
}

/**
 * Finds the line on which an object of the document begins. The opening braces of a valid document come in the order of its
 * objects, from the outside in; only repeated properties, of which the last one counts, can disturb it.
 */
function linesOf(document: unknown, text: string): (value: object) => number {
  const lines: number[] = [];
  let line = 1;
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|\n|\{/g)) {
    if (token === "\n") line += 1;
    else if (token === "{") lines.push(line);
  }
  const found = new Map<object, number>();
  // This is not recursive, because a document can be nested deeper than the stack.
  const waiting: unknown[] = [document];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) found.set(value, lines[found.size] ?? 1);
    for (const child of Object.values(value).reverse()) waiting.push(child);
  }
  return (value) => found.get(value) ?? 1;
}

function valuesOf(
  kind: RecordKind,
  properties: readonly [string, unknown][],
  line: number,
  faults: LineFaults,
): RawRecord["values"] {
  const values: RawRecord["values"] = {};
  for (const [name, value] of properties) {
    if (!isColumn(name)) faults.add(line, `the property "${name}" is unknown`);
    else if (!applies(name, kind)) faults.add(line, doesNotApply(name, kind));
    else if (!matches(name, value)) faults.add(line, `${name} must be ${TYPE_NAMES[columnOf(name).type]}`);
    else
      values[name] =
        typeof value === "string"
          ? value.trim() || null
          : (value as NonNullable<RawRecord["values"][ColumnName]> | null);
  }
  return values;
}

const TYPE_NAMES = {
  text: "a string or null",
  number: "a number or null",
  list: "a list of strings",
  flag: "true or false",
};

function matches(name: ColumnName, value: unknown): boolean {
  const { type } = columnOf(name);
  if (type === "list") return Array.isArray(value) && value.every((entry) => typeof entry === "string");
  if (type === "flag") return typeof value === "boolean";
  return value === null || typeof value === (type === "number" ? "number" : "string");
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The document for records that are ordered by organization, each organization first. */
export function customersDocument(records: Iterable<Omit<RawRecord, "line">>): { organizations: JsonObject[] } {
  const organizations = new Map<string, Record<string, unknown>>();
  for (const { kind, organization, values } of records) {
    if (kind === "organization") organizations.set(organization, { external_id: organization, ...values });
    else {
      const list = KIND_LISTS[kind] as string;
      const holder = organizations.get(organization) as Record<string, object[]>;
      holder[list] ??= [];
      holder[list].push(values);
    }
  }
  return { organizations: [...organizations.values()] };
}
