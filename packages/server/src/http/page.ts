import { PAGE_LIMIT, type PageQuery } from "@dbdepot/contract/operator/queries";
import { invalid } from "../platform/primitives/faults.ts";
import { isUuid } from "../platform/primitives/ids.ts";
import type { RequestContext } from "./route.ts";

/** The order of a list, and the cursors of its pages. */
export interface Order<T> {
  /** The cursor after the last item of a page. */
  cursorOf(item: T): string;
  isCursor(text: string): boolean;
}

export const byId: Order<{ id: string }> = { cursorOf: ({ id }) => id, isCursor: isUuid };

export const byName: Order<{ name: string }> = {
  cursorOf: ({ name }) => name,
  // Names have no control characters, and PostgreSQL rejects NUL.
  isCursor: (text) => !/\p{Cc}/u.test(text),
};

export const byEmail: Order<{ email: string }> = {
  cursorOf: ({ email }) => email,
  isCursor: byName.isCursor,
};

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
  if (last !== undefined && found.length > limit) {
    const cursor = Buffer.from(order.cursorOf(last)).toString("base64url");
    const filters = new URLSearchParams(query as Record<string, string>);
    filters.set("cursor", cursor);
    reply.header("link", `<${pathOf(request)}?${filters}>; rel="next"`);
  }
  return page;
}

/**
 * The page that a query asks for, where other parameters are ignored. They must not show up in the `Link` header: a client
 * may send its key in one.
 */
export function onlyPage({ limit, cursor }: PageQuery): PageQuery {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}

function pathOf({ route, params }: RequestContext["request"]): string {
  const values = params as Record<string, string>;
  return (route?.url ?? "").replace(/:([a-z]+)/g, (_, name) => encodeURIComponent(values[name] ?? ""));
}

function decodeCursor<T>(order: Order<T>, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString();
  if (!order.isCursor(text)) throw invalid("invalid cursor: take it from the Link header");
  return text;
}
