/** What threads send as lists, with the names of the columns. */
export function toRecords(columns: readonly string[], rows: readonly unknown[][]): Record<string, unknown>[] {
  return rows.map((row) => {
    const record: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i += 1) record[columns[i] as string] = row[i];
    return record;
  });
}
