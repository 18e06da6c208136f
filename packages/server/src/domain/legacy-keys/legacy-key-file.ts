import { CsvError } from "@dbdepot/formats/csv/error";
import { parseCsvLine } from "@dbdepot/formats/csv/read";
import { type LegacyKeyRequest, normalizeUuid } from "./legacy-key.ts";

/** A line of the file: a key to import, or what is wrong with the line. */
export type LegacyKeyLine = { line: number } & ({ request: LegacyKeyRequest & { uuid: string } } | { fault: string });

const NEEDED = ["uuid", "name", "ids"];
const COLUMNS = [...NEEDED, "org"];

/**
 * Reads a CSV with the columns `uuid`, `name`, `ids` and optionally `org`, in the order of its header.
 * Ids are separated by spaces or ";". Cells do not span lines.
 */
export function parseLegacyKeyFile(text: string): LegacyKeyLine[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const rows = lines.map((row, i) => ({ line: i + 1, row })).filter(({ row }) => row.trim() !== "");
  const [first, ...rest] = rows;
  if (!first) return [{ line: 1, fault: "the file is empty: its first line must name the columns uuid,name,ids,org" }];
  const columns = cellsOf(first.row)?.map((name) => name.toLowerCase());
  const fault = columns ? headerFault(columns) : "a quote is not closed, or appears inside a cell";
  if (!columns || fault) return [{ line: first.line, fault: fault ?? "" }];
  return rest.map(({ line, row }) => ({ line, ...parseRow(row, columns) }));
}

function headerFault(columns: readonly string[]): string | undefined {
  // Columns are named by number, because in a file without a header, the "name" would be a UUID.
  const unknown = columns.findIndex((name) => !COLUMNS.includes(name));
  if (unknown >= 0)
    return `column ${unknown + 1} is unknown: the first line must name the columns ${COLUMNS.join(",")}`;
  const missing = NEEDED.find((name) => !columns.includes(name));
  if (missing !== undefined) return `the column ${missing} is missing`;
  return new Set(columns).size < columns.length ? "a column appears twice" : undefined;
}

function parseRow(
  row: string,
  columns: readonly string[],
): { request: LegacyKeyRequest & { uuid: string } } | { fault: string } {
  const cells = cellsOf(row);
  if (!cells) return { fault: "a quote is not closed, or appears inside a cell" };
  if (cells.length !== columns.length)
    return { fault: `it has ${cells.length} cells, but the first line has ${columns.length}` };
  const cell = (column: string) => cells[columns.indexOf(column)] ?? "";
  // Otherwise a new UUID would be generated and never shown.
  if (cell("uuid") === "") return { fault: "the uuid is missing" };
  const ids = cell("ids")
    .split(/[\s;,]+/)
    .filter((id) => id !== "");
  if (ids.some(normalizeUuid)) return { fault: "an id is a UUID: are the columns mixed up?" };
  const organization = cell("org");
  return {
    request: {
      uuid: cell("uuid"),
      name: cell("name"),
      databaseIds: ids,
      ...(organization !== "" && { organization }),
    },
  };
}

/** Undefined if the quotes are wrong. */
function cellsOf(row: string): string[] | undefined {
  try {
    return parseCsvLine(row).map((cell) => cell.trim());
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}
