/** One list of two that are sorted by id, newest first; what is in both is taken once. */
export function newestFirst<T>(one: readonly T[], other: readonly T[], idOf: (row: T) => string, limit: number): T[] {
  const rows: T[] = [];
  for (let i = 0, k = 0; rows.length < limit; ) {
    const left = one[i];
    const right = other[k];
    if (left === undefined) return [...rows, ...other.slice(k, k + limit - rows.length)];
    if (right === undefined) return [...rows, ...one.slice(i, i + limit - rows.length)];
    const [leftId, rightId] = [idOf(left), idOf(right)];
    if (leftId >= rightId) i += 1;
    if (rightId >= leftId) k += 1;
    rows.push(leftId >= rightId ? left : right);
  }
  return rows;
}
