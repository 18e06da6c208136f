import type { Occurrence } from "../events/events.ts";
import type { Consumption, Limits } from "./limits.ts";
import { dayPeriod, monthPeriod } from "./limits.ts";

/** The share of a limit from which on its organization is warned. */
const NEAR = 0.8;

/**
 * The warnings about limits of which most is used, each once per period. A limit that was changed in the meantime gets
 * another one. Requests and streams have no period, so there are no warnings about them.
 */
export function nearEvents(organizationId: string, limits: Limits, used: Consumption, now: Date): Occurrence[] {
  const events: Occurrence[] = [];
  const warn = (limit: "downloads_per_day" | "bytes_per_month", amount: number, resets: Date) => {
    const allowed = limits[limit];
    if (allowed === null || amount < allowed * NEAR) return;
    events.push({
      type: "limit.near",
      organizationId,
      data: { limit, used: amount, allowed, resets: resets.toISOString() },
      occurrence: `limit.near ${organizationId} ${limit} ${resets.toISOString()} ${allowed}`,
    });
  };
  warn("downloads_per_day", used.downloads, dayPeriod(now).end);
  warn("bytes_per_month", used.bytes, monthPeriod(now).end);
  return events;
}
