import type { OpenedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { UsageTotals } from "../../../src/domain/usage/usage.ts";

/** The totals of days, by "organization day database format". */
export async function storedTotals(
  { query }: Pick<OpenedStore, "query">,
  organizationIds: readonly string[],
): Promise<Map<string, UsageTotals>> {
  const rows = await query("select * from usage_days");
  return totalsByKey(rows, organizationIds, "day");
}

export async function monthTotals(
  { query }: Pick<OpenedStore, "query">,
  organizationIds: readonly string[],
): Promise<Map<string, UsageTotals>> {
  return totalsByKey(await query("select * from usage_months"), organizationIds, "month");
}

function totalsByKey(rows: readonly Record<string, unknown>[], organizationIds: readonly string[], period: string) {
  return new Map(
    rows
      .filter((row) => organizationIds.includes(String(row.organization_id)))
      .map((row) => [
        `${row.organization_id} ${row[period]} ${row.dataset_id} ${row.format}`,
        {
          firstDownloads: Number(row.first_downloads),
          repeats: Number(row.repeats),
          refused: Number(row.refused),
          bytes: Number(row.bytes),
          savedBytes: Number(row.saved_bytes),
          keys: Number(row.keys),
          addresses: Number(row.addresses),
        },
      ]),
  );
}

/** The totals of months from those of days. */
export function sumsOf(days: ReadonlyMap<string, UsageTotals>): Map<string, UsageTotals> {
  const months = new Map<string, UsageTotals>();
  for (const [key, one] of days) {
    const month = key.replace(/(\d{4}-\d\d)-\d\d /, "$1 ");
    const sum = months.get(month);
    months.set(
      month,
      sum
        ? {
            firstDownloads: sum.firstDownloads + one.firstDownloads,
            repeats: sum.repeats + one.repeats,
            refused: sum.refused + one.refused,
            bytes: sum.bytes + one.bytes,
            savedBytes: sum.savedBytes + one.savedBytes,
            keys: Math.max(sum.keys, one.keys),
            addresses: Math.max(sum.addresses, one.addresses),
          }
        : one,
    );
  }
  return months;
}
