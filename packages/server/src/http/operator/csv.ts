import { Readable } from "node:stream";
import type { PageQuery } from "@dbdepot/contract/operator/queries";
import { type CsvFormat, formatCsvRow } from "@dbdepot/formats/csv/write";
import type { FastifyReply } from "fastify";
import type { Page, Position } from "../../domain/page.ts";
import { utcDayOf } from "../../platform/primitives/dates.ts";
import { invalid } from "../../platform/primitives/faults.ts";
import { CALLER_HEADERS } from "../credentials.ts";
import type { RequestContext } from "../route.ts";

/** An export keeps this many rows in memory at a time. */
const PAGE_SIZE = 1000;
/** Rows of reports are small, but the database computes all of them for every page. */
const REPORT_PAGE_SIZE = 20_000;

interface Export<T> {
  /** Beginning of the file's name. */
  name: string;
  columns: readonly string[];
  pages: Iterable<readonly T[]> | AsyncIterable<readonly T[]>;
  /** Returns the cells by column. */
  toRecord(item: T): Readonly<Record<string, Cell>>;
}

type ExportContext = Pick<RequestContext, "request" | "reply" | "now"> & {
  query: PageQuery & { format?: "json" | "csv" };
};

/** Whether the client wants CSV instead of JSON, by the parameter `format`, or else by the header `Accept`. */
export function wantsCsv({ query, request, reply }: ExportContext): boolean {
  reply.header("vary", `${CALLER_HEADERS}, Accept`);
  return query.format === undefined ? prefersCsv(request.headers.accept) : query.format === "csv";
}

export function sendCsv<T>(context: ExportContext, rows: Export<T>): FastifyReply {
  const { query, request, reply, now } = context;
  if (query.limit !== undefined || query.cursor !== undefined) {
    throw invalid("a CSV export contains everything that matches: remove limit and cursor");
  }
  reply
    .header("content-type", "text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${rows.name}-${utcDayOf(now)}.csv"`);
  return request.method === "HEAD" ? reply.send() : reply.send(Readable.from(csvPages(rows)));
}

/** Reads page by page, as fast as the client reads them, in constant memory. */
async function* csvPages<T>({ columns, pages, toRecord }: Export<T>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const page of pages) {
    const records = page.map(toRecord);
    if (page.length > 0) yield records.map((record) => csvLine(columns.map((name) => record[name] ?? null))).join("");
  }
}

/** The pages of a list. `list` returns the newest first, only rows older than the one with the id `before`. */
export async function* newestFirst<T extends { id: string }>(
  list: (page: { limit: number; before: string | undefined }) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let before: string | undefined;
  for (;;) {
    const page = await list({ limit: PAGE_SIZE, before });
    yield page;
    if (page.length < PAGE_SIZE) return;
    before = page.at(-1)?.id;
  }
}

/** The pages of a report, in its order. */
export async function* inOrder<T>(
  find: (page: { limit: number; after: Position | undefined }) => Promise<Page<T>>,
): AsyncGenerator<T[]> {
  let after: Position | undefined;
  do {
    const { items, next }: Page<T> = await find({ limit: REPORT_PAGE_SIZE, after });
    yield items;
    after = next;
  } while (after);
}

export type Cell = string | number | boolean | null;

/** Quotes semicolons and outer spaces too, because spreadsheets of some locales split at a semicolon. */
const SPREADSHEET: CsvFormat = { lineEnd: "\r\n", needsQuotes: /[",;]|^\s|\s$/ };
/** Spreadsheets treat such a cell as a formula; some ignore leading white space or accept full-width signs. */
const FORMULA = /^(\s*)([=+\-@＝＋－＠])/u;
/** A spreadsheet that splits at semicolons would find a formula here. */
const FORMULA_AFTER_SEMICOLON = /(;\s*)([=+\-@＝＋－＠])/gu;

/** Formats a row of CSV that is safe to open in a spreadsheet. */
export function csvLine(cells: readonly Cell[]): string {
  return formatCsvRow(
    cells.map((cell) => (typeof cell === "string" ? escapeFormulas(cell) : String(cell ?? ""))),
    SPREADSHEET,
  );
}

/** Cells contain text from strangers, such as a user agent. An apostrophe keeps a formula from being evaluated. */
function escapeFormulas(text: string): string {
  return text
    .replace(/\p{Cc}/gu, " ")
    .replace(FORMULA, "$1'$2")
    .replace(FORMULA_AFTER_SEMICOLON, "$1'$2");
}

/** Whether an `Accept` header prefers CSV to JSON, the default. */
export function prefersCsv(accept: string | undefined): boolean {
  const csv = qualityOf("text/csv", accept);
  return csv > 0 && csv > qualityOf("application/json", accept);
}

/** The quality of a media type that is named explicitly (RFC 9110, 12.5.1); 0 if it is not. */
function qualityOf(type: string, accept = ""): number {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return 0;
}
