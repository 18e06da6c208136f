import type { OperatorUsageLine } from "@dbdepot/contract/operator/usage";
import type { UsageCounts, UsageLine, UsageReport } from "@dbdepot/contract/v2/usage";
import { isClosed } from "./report.ts";
import type { UsageFilter, UsageProgress, UsageRow, UsageStore } from "./store.ts";
import type { UsageTotals } from "./usage.ts";

function countsToWire(totals: UsageTotals): UsageCounts {
  return {
    first_downloads: totals.firstDownloads,
    repeats: totals.repeats,
    refused: totals.refused,
    bytes: totals.bytes,
    saved_bytes: totals.savedBytes,
    keys: totals.keys,
    addresses: totals.addresses,
  };
}

/** A line as its organization sees it. */
export function usageToWire(filter: UsageFilter, row: UsageRow, progress: UsageProgress): UsageLine {
  return {
    period: row.period ?? null,
    dataset_id: row.datasetId ?? null,
    format: row.format ?? null,
    ...countsToWire(row),
    closed: isClosed(filter, row, progress),
  };
}

/** A line as operators see it. */
export function usageToOperatorWire(filter: UsageFilter, row: UsageRow, progress: UsageProgress): OperatorUsageLine {
  return {
    organization_id: row.organizationId,
    organization_name: row.organizationName,
    ...usageToWire(filter, row, progress),
  };
}

/** Everything in a report but its lines. */
export async function usageFacts(
  usage: UsageStore,
  filter: UsageFilter,
  progress: UsageProgress,
  search?: string | undefined,
): Promise<Omit<UsageReport, "usage">> {
  return {
    from: filter.from,
    to: filter.to,
    totals: countsToWire(await usage.totals(filter, search)),
    final_until: progress.finalUntil ?? null,
    updated: progress.updated?.toISOString() ?? null,
  };
}
