/** The value of a row by which a column sorts. Undefined ones come last in either direction. */
type SortValue<T> = (row: T) => string | number | undefined;

/** Sorts rows that are all in the browser: by a column, or with a minus sign in reverse. Unknown columns change nothing. */
export function sortedRows<T>(rows: readonly T[], sort: string, columns: Record<string, SortValue<T>>): readonly T[] {
  const direction = sort.startsWith("-") ? -1 : 1;
  const column = columns[sort.replace("-", "")];
  if (!column) return rows;
  return rows.toSorted((one, other) => {
    const [a, b] = [column(one), column(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return direction * (typeof a === "string" ? a.localeCompare(String(b)) : a - Number(b));
  });
}
