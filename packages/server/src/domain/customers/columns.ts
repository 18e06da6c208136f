/** The format of customer files: one table of columns for CSV, JSON, the import and the export. */

export const RECORD_KINDS = ["organization", "licence", "account", "key", "legacy_key"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** The names of the kinds in messages. */
export const KIND_NAMES: Record<RecordKind, string> = {
  organization: "organization",
  licence: "licence",
  account: "account",
  key: "key",
  legacy_key: "v1 key",
};

interface Column {
  kinds: readonly RecordKind[];
  type: "text" | "number" | "list" | "flag";
}

/** The columns after `kind` and `organization`, in the order in which they are exported. */
const COLUMNS = {
  external_id: { kinds: ["licence"], type: "text" },
  name: { kinds: ["organization", "account", "key", "legacy_key"], type: "text" },
  archived: { kinds: ["organization"], type: "flag" },
  requests_per_minute: { kinds: ["organization"], type: "number" },
  downloads_per_day: { kinds: ["organization"], type: "number" },
  bytes_per_month: { kinds: ["organization"], type: "number" },
  parallel_streams: { kinds: ["organization"], type: "number" },
  family: { kinds: ["licence"], type: "text" },
  redistribution: { kinds: ["licence"], type: "text" },
  starts: { kinds: ["licence"], type: "text" },
  expires: { kinds: ["licence", "key"], type: "text" },
  renews_at: { kinds: ["licence"], type: "text" },
  notice_due_at: { kinds: ["licence"], type: "text" },
  terms: { kinds: ["licence"], type: "text" },
  email: { kinds: ["account"], type: "text" },
  role: { kinds: ["account"], type: "text" },
  scopes: { kinds: ["key"], type: "list" },
  cidrs: { kinds: ["key"], type: "list" },
  create: { kinds: ["key"], type: "flag" },
  key_prefix: { kinds: ["key"], type: "text" },
  sha256: { kinds: ["key", "legacy_key"], type: "text" },
  uuid: { kinds: ["legacy_key"], type: "text" },
  databases: { kinds: ["legacy_key"], type: "list" },
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];

type Value = string | number | readonly string[] | boolean | null;

/** One record of a file, as it was written. Null means that the value is empty, undefined that it is missing. */
export interface RawRecord {
  /** The line on which it begins, from 1. */
  line: number;
  kind: RecordKind;
  /** The external id of its organization, or its own if it is one. */
  organization: string;
  values: Partial<Record<ColumnName, Value>>;
}

export function columnOf(name: ColumnName): Column {
  return COLUMNS[name];
}

export function isColumn(name: string): name is ColumnName {
  return Object.hasOwn(COLUMNS, name);
}

export function isRecordKind(text: string): text is RecordKind {
  return (RECORD_KINDS as readonly string[]).includes(text);
}

/** Whether a column can have a value in records of the kind. */
export function applies(name: ColumnName, kind: RecordKind): boolean {
  return columnOf(name).kinds.includes(kind);
}
