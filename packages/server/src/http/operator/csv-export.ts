import { Readable } from "node:stream";
import type { PageQuery } from "@dbdepot/contract/operator/queries";
import type { FastifyReply } from "fastify";
import { invalid } from "../../platform/primitives/faults.ts";
import type { RequestContext } from "../route.ts";
import { prefersCsv } from "./accept.ts";
import { type Cell, csvLine } from "./csv.ts";

/** An export keeps this many rows in memory at a time. */
const PAGE_SIZE = 1000;

interface Export<T extends { id: string }> {
  /** Beginning of the file's name. */
  name: string;
  columns: readonly string[];
  /** Newest first, only rows older than the one with the id `before`. */
  list(page: { limit: number; before: string | undefined }): Promise<T[]>;
  /** By column. */
  toRecord(item: T): Readonly<Record<string, Cell>>;
}

type ExportContext = Pick<RequestContext, "request" | "reply" | "now"> & {
  query: PageQuery & { format?: "json" | "csv" };
};

/** Whether the client wants CSV instead of JSON: by the parameter `format`, or by the header `Accept` without it. */
export function wantsCsv({ query, request, reply }: ExportContext): boolean {
  reply.header("vary", "Accept");
  return query.format === undefined ? prefersCsv(request.headers.accept) : query.format === "csv";
}

export function sendCsv<T extends { id: string }>(context: ExportContext, rows: Export<T>): FastifyReply {
  const { query, request, reply, now } = context;
  if (query.limit !== undefined || query.cursor !== undefined) {
    throw invalid("a CSV export contains everything that matches: remove limit and cursor");
  }
  reply
    .header("content-type", "text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${rows.name}-${now.toISOString().slice(0, 10)}.csv"`);
  return request.method === "HEAD" ? reply.send() : reply.send(Readable.from(csvPages(rows)));
}

/** Reads page by page, as fast as the client reads them, in constant memory. */
async function* csvPages<T extends { id: string }>({ columns, list, toRecord }: Export<T>): AsyncGenerator<string> {
  yield csvLine(columns);
  let before: string | undefined;
  for (;;) {
    const page = await list({ limit: PAGE_SIZE, before });
    const records = page.map(toRecord);
    if (page.length > 0) yield records.map((record) => csvLine(columns.map((name) => record[name] ?? null))).join("");
    if (page.length < PAGE_SIZE) return;
    before = page.at(-1)?.id;
  }
}
