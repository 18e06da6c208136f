import type { LimitName, LimitUse } from "@dbdepot/contract/v2/limits";
import { formatSize } from "../../platform/primitives/sizes.ts";
import { type Consumption, LIMIT_REFUSALS, type LimitRefusal, type Limits, NO_LIMITS } from "./limits.ts";
import { limitUses } from "./use.ts";

/** Limits and their use in words, for operators. */

const NOUNS: Record<LimitName, string> = {
  requests_per_minute: "requests per minute",
  downloads_per_day: "downloads today",
  bytes_per_month: "this month",
  parallel_streams: "parallel streams",
};

export function limitsFinding(limits: Limits, used: Consumption, now: Date): string {
  return limitUses(limits, used, undefined, now)
    .map(({ limit, allowed, used: amount }) => {
      const whole = `${inUnit(limit, allowed)} ${NOUNS[limit]}`;
      return amount === null ? whole : `${inUnit(limit, amount)} of ${whole}`;
    })
    .join(", ");
}

/** Says which limit is used up, and until when. */
export function limitReason(refusal: LimitRefusal, limits: Limits, used: Consumption, now: Date): string {
  const { limit, words } = LIMIT_REFUSALS[refusal];
  const only = { ...NO_LIMITS, [limit]: limits[limit] };
  const [use] = limitUses(only, used, undefined, now);
  return `${words}: ${limitsFinding(only, used, now)}, until ${use?.resets}`;
}

export function inUnit(limit: LimitUse["limit"], amount: number): string {
  return limit === "bytes_per_month" ? formatSize(amount) : String(amount);
}
