import { parseTime } from "../../dates.ts";
import { invalid } from "../../faults.ts";

/** A key's end, as it was sent; undefined when none was. The schema lets through a leap second, which no clock here has. */
export function endOf(expires: string | null | undefined): Date | null | undefined {
  if (expires === undefined || expires === null) return expires;
  const end = parseTime(expires);
  if (!end) throw invalid(`"${expires}" is no time`);
  return end;
}
