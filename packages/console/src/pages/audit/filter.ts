import { type Period, parsePeriod } from "../../components/period.ts";

/** The part of the URL after "?". */
export interface AuditFilter extends Period {
  /** The noun of the action, such as "licence". */
  action?: string;
  actor?: string;
  subject?: string;
}

export function parseAuditFilter(search: Record<string, unknown>): AuditFilter {
  const { action, actor, subject } = search;
  return {
    ...parsePeriod(search),
    ...(isText(action) && { action }),
    ...(isText(actor) && { actor }),
    ...(isText(subject) && { subject }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
