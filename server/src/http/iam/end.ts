import { parseTime } from "../../primitives/dates.ts";
import { invalid } from "../../primitives/faults.ts";

/** Parses a key's expiry; undefined if none was sent. The schema accepts leap seconds, which Date cannot represent. */
export function endOf(expires: string | null | undefined): Date | null | undefined {
  if (expires === undefined || expires === null) return expires;
  const end = parseTime(expires);
  if (!end) throw invalid(`"${expires}" is not a valid time`);
  return end;
}
