import type { Api } from "./api.ts";
import { pages } from "./paging.ts";
import type { Download, DownloadList, UsageReport } from "./wire.gen.ts";

export interface HistoryOptions {
  /** The maximum number of attempts (default: all). */
  limit?: number | undefined;
  /** Only attempts at or after this time. */
  since?: Date | undefined;
  /** Only attempts before this time. */
  until?: Date | undefined;
  /** Only attempts for this database, such as `vpn_ip_v1`. */
  database?: string | undefined;
  /** Only attempts with this outcome, or `refused` for all but `ok`. */
  outcome?: Download["outcome"] | "refused" | undefined;
  /** Only samples, or only full files. */
  sample?: boolean | undefined;
  /** Only queries of tables with Delta Sharing, instead of downloads. */
  tables?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

const PATH = "/api/v2/database/downloads";
const PAGE_MAX = 200;

/**
 * Yields attempts, newest first, and requests pages as needed. The service has no filters, so they are applied here.
 */
export async function* downloads(api: Api, o: HistoryOptions = {}): AsyncGenerator<Download, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY, since, signal } = o;
  if (limit <= 0) return;
  const isFiltered = [o.since, o.until, o.database, o.outcome, o.sample].some((filter) => filter !== undefined);
  const query = {
    limit: String(isFiltered ? PAGE_MAX : Math.min(limit, PAGE_MAX)),
    ...(o.tables && { tables: "true" }),
  };
  let count = 0;
  for await (const page of pages<DownloadList>(api, PATH, { query, signal })) {
    for (const attempt of page.downloads) {
      if (since && Date.parse(attempt.created) < since.getTime()) return;
      if (!matches(attempt, o)) continue;
      yield attempt;
      count += 1;
      if (count >= limit) return;
    }
    if (page.downloads.length === 0) return;
  }
}

function matches({ created, dataset_id, outcome, sample = false }: Download, o: HistoryOptions): boolean {
  if (o.until && Date.parse(created) >= o.until.getTime()) return false;
  if (o.sample !== undefined && o.sample !== sample) return false;
  if (o.outcome === "refused" ? outcome === "ok" : (o.outcome ?? outcome) !== outcome) return false;
  return (o.database ?? dataset_id) === dataset_id;
}

export interface UsageOptions {
  /** First day, such as `2027-01-01` (default: this month; by month, the last twelve months). */
  from?: string | undefined;
  /** The day after the last one, such as `2027-02-01` for all of January (default: tomorrow). */
  to?: string | undefined;
  /** One line per day, month, or database and format (default: month). */
  by?: "day" | "month" | "database" | undefined;
  signal?: AbortSignal | undefined;
}

/** Returns what your organization downloaded, in totals that stay when the history is deleted. */
export async function usage(api: Api, { signal, ...filters }: UsageOptions = {}): Promise<UsageReport> {
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  return (await api.call({ path: "/api/v2/database/usage", query, signal })).json<UsageReport>();
}
