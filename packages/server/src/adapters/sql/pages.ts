import type { Sort } from "@dbdepot/contract/operator/queries";
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import type { Page, PageRequest } from "../../domain/page.ts";
import { invalid } from "../../platform/primitives/faults.ts";

/** How a list can be sorted and searched. */
export interface ListColumns<Column extends string> {
  /** The SQL of each column. Never null: `coalesce` decides where rows without a value belong. */
  sorts: Record<Column, RawBuilder<string> | RawBuilder<number>>;
  /** The columns that are numbers. */
  numbers?: readonly Column[];
  default: Sort<NoInfer<Column>>;
  /** Unique. It orders rows that are equal otherwise. */
  id: RawBuilder<string>;
  searched: readonly RawBuilder<string | null>[];
}

/**
 * Returns one page of a query. It continues after the value and the id of the last row instead of counting rows, so the
 * last page is as quick as the first, and rows that are added or removed meanwhile shift nothing.
 */
export async function selectPage<Tables, Name extends keyof Tables, Row, Column extends string, Item>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  columns: ListColumns<Column>,
  { search, sort = columns.default, after, limit, counts }: PageRequest<Column>,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const isDescending = sort.startsWith("-");
  const name = (isDescending ? sort.slice(1) : sort) as Column;
  const { id } = columns;
  const value: RawBuilder<string | number> = columns.sorts[name];
  const direction = isDescending ? "desc" : "asc";
  let found = query.select([value.as("page_value"), id.as("page_id")]).orderBy(value, direction);
  // Two equal columns would keep the engines from using the index.
  if (value !== id) found = found.orderBy(id, direction);
  if (search) found = found.where(containsWords(search, columns.searched));
  const all = found.clearSelect().clearOrderBy().select(sql<number | string>`count(*)`.as("total"));
  if (after) {
    const type = columns.numbers?.includes(name) ? "number" : "string";
    if (typeof after.value !== type) throw invalid("invalid cursor: it belongs to a list with another order");
    const comparison = sql.raw(isDescending ? "<" : ">");
    found = found.where(
      value === id
        ? sql<SqlBool>`${id} ${comparison} ${after.id}`
        : sql<SqlBool>`(${value}, ${id}) ${comparison} (${after.value}, ${after.id})`,
    );
  }
  if (limit !== undefined) found = found.limit(limit + 1);
  const [counted] = counts ? ((await all.execute()) as unknown as { total: number }[]) : [];
  const rows = (await found.execute()) as (Row & { page_value: string | number; page_id: string })[];
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && rows.length > page.length;
  const next = hasMore ? { value: last.page_value, id: last.page_id } : undefined;
  return { items: page.map(toItem), next, ...(counted && { total: Number(counted.total) }) };
}

/** Whether the columns together contain every word. Both engines ignore the case of ASCII letters only. */
export function containsWords(search: string, columns: readonly RawBuilder<string | null>[]): RawBuilder<SqlBool> {
  const text = sql.join(
    columns.map((column) => sql`coalesce(${column}, '')`),
    sql` || ' ' || `,
  );
  const words = search.trim().split(/\s+/);
  return sql<SqlBool>`${sql.join(
    words.map((word) => sql`lower(${text}) like ${patternOf(word)} escape '!'`),
    sql` and `,
  )}`;
}

function patternOf(word: string): string {
  const lower = word.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return `%${lower.replace(/[!%_]/g, "!$&")}%`;
}
