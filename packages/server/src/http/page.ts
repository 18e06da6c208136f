import { type ListQuery, PAGE_LIMIT, type PageQuery } from "@dbdepot/contract/operator/queries";
import type { TObject } from "typebox";
import type { Page, PageRequest, Position } from "../domain/page.ts";
import { invalid } from "../platform/primitives/faults.ts";
import { isUuid } from "../platform/primitives/ids.ts";
import type { RequestContext } from "./route.ts";

/** The order of a list, and the cursors of its pages. */
export interface Order<T> {
  /** The cursor after the last item of a page. */
  cursorOf(item: T): string;
  isCursor(text: string): boolean;
}

/** A UUID, which may be followed by what tells the lines of a report apart. */
const ROW_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\/[\w/-]{0,200})?$/i;

export const byId: Order<{ id: string }> = { cursorOf: ({ id }) => id, isCursor: isUuid };

/**
 * Returns one page of a list and links to the next one in the `Link` header (RFC 8288), with all filters. `find` is called
 * with a limit of one more item, to know whether there is a next page.
 */
export async function pageOf<T>(
  { query, request, reply }: Pick<RequestContext, "request" | "reply"> & { query: PageQuery },
  order: Order<NoInfer<T>>,
  find: (page: { limit: number; from: string | undefined }) => Promise<T[]>,
  defaultLimit: number = PAGE_LIMIT.default,
): Promise<T[]> {
  const limit = query.limit ?? defaultLimit;
  const found = await find({ limit: limit + 1, from: decodeCursor(order, query.cursor) });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (last !== undefined && found.length > limit) linkNext({ query, request, reply }, order.cursorOf(last));
  return page;
}

/** The same for a list that can be searched and sorted. The first page says in `X-Total-Count` how many items there are. */
export async function listPage<T, Column extends string>(
  { query, request, reply }: Pick<RequestContext, "request" | "reply"> & { query: ListQuery<Column> },
  find: (page: PageRequest<Column>) => Promise<Page<T>>,
  defaultLimit: number = PAGE_LIMIT.default,
): Promise<T[]> {
  const { search, sort, cursor, limit = defaultLimit } = query;
  const after = decodePosition(cursor);
  const { items, next, total } = await find({ search, sort, limit, after, counts: after === undefined });
  if (total !== undefined) reply.header("x-total-count", total);
  if (next) linkNext({ query, request, reply }, JSON.stringify([next.value, next.id]));
  return items;
}

function linkNext(
  { query, request, reply }: Pick<RequestContext, "request" | "reply"> & { query: PageQuery },
  position: string,
): void {
  const parameters = new URLSearchParams(query as Record<string, string>);
  parameters.set("cursor", Buffer.from(position).toString("base64url"));
  reply.header("link", `<${pathOf(request)}?${parameters}>; rel="next"`);
}

/**
 * The parameters of a query that its schema knows, where others are ignored. Those must not show up in the `Link` header: a
 * client may send its key in one.
 */
export function onlyKnown<Query extends object>(query: Query, schema: TObject): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => name in schema.properties)) as Query;
}

function pathOf({ route, params }: RequestContext["request"]): string {
  const values = params as Record<string, string>;
  return (route?.url ?? "").replace(/:([a-z]+)/g, (_, name) => encodeURIComponent(values[name] ?? ""));
}

function decodeCursor<T>(order: Order<T>, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString();
  if (!order.isCursor(text)) throw invalidCursor();
  return text;
}

export function decodePosition(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [value, id, ...rest] = parseArray(Buffer.from(cursor, "base64url").toString());
  // PostgreSQL rejects NUL.
  const isValue = typeof value === "string" ? !value.includes("\0") : Number.isSafeInteger(value);
  if (!isValue || typeof id !== "string" || !ROW_ID.test(id) || rest.length > 0) throw invalidCursor();
  return { value: value as Position["value"], id };
}

function parseArray(text: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

function invalidCursor() {
  return invalid("invalid cursor: take it from the Link header");
}
