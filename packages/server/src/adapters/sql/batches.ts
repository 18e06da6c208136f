const IDS_PER_STATEMENT = 1000;

/** Both engines limit the number of parameters in a statement to about 32,000. */
export async function inBatches<R>(ids: readonly string[], query: (batch: string[]) => Promise<R[]>): Promise<R[]> {
  const rows: R[] = [];
  for (let first = 0; first < ids.length; first += IDS_PER_STATEMENT) {
    rows.push(...(await query(ids.slice(first, first + IDS_PER_STATEMENT))));
  }
  return rows;
}
