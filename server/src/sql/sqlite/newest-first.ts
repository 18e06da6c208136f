/** One list of two that are sorted by id, newest first; what is in both is taken once. */
export function newestFirst<T>(one: readonly T[], other: readonly T[], idOf: (row: T) => string, limit: number): T[] {
  const rows: T[] = [];
  let [i, k] = [0, 0];
  while (rows.length < limit) {
    const [left, right] = [one[i], other[k]];
    if (left === undefined && right === undefined) break;
    const order = left === undefined ? -1 : right === undefined ? 1 : compare(idOf(left), idOf(right));
    if (order >= 0) i += 1;
    if (order <= 0) k += 1;
    rows.push((order >= 0 ? left : right) as T);
  }
  return rows;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a > b ? 1 : -1;
}
