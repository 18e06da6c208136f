import type { Api } from "./api.ts";
import type { UsageReport } from "./wire.ts";

export interface UsageOptions {
  /** First day, such as `2027-01-01` (default: this month; by month, the last twelve months). */
  from?: string | undefined;
  /** The day after the last one, such as `2027-02-01` for all of January (default: tomorrow). */
  to?: string | undefined;
  /** One line per day, month, or database and format (default: month). */
  by?: "day" | "month" | "database" | undefined;
  signal?: AbortSignal | undefined;
}

/** What your organization downloaded, in totals that stay when the history is deleted. */
export async function usage(api: Api, { signal, ...filters }: UsageOptions = {}): Promise<UsageReport> {
  const query = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  return (await api.call({ path: "/api/v2/database/usage", query, signal })).json<UsageReport>();
}
