import { AuditEntry, AuditList, AuditQuery } from "@dbdepot/contract/operator/audit";
import { auditFilter } from "../../domain/audit/filter.ts";
import { auditEntryToWire } from "../../domain/audit/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { endpoint } from "../endpoint.ts";
import { byId, pageOf } from "../page.ts";
import { newestFirst, sendCsv, wantsCsv } from "./csv.ts";

/** Changes, newest first: a page as JSON, or all matching ones as CSV. */
export const AUDIT_ROUTE = endpoint({
  method: "GET",
  url: "/api/operator/audit",
  scope: "operator.read",
  summary: "Read the audit log",
  query: AuditQuery,
  response: AuditList,
  async respond(context) {
    const { query } = context;
    const { store } = context.services;
    const since = requireTime("since", query.since);
    const until = requireTime("until", query.until);
    const filter = await auditFilter(store, { ...query, since, until });
    if (wantsCsv(context)) {
      return sendCsv(context, {
        name: "audit",
        columns: Object.keys(AuditEntry.properties),
        pages: newestFirst((page) => store.audit.list({ ...filter, ...page })),
        toRecord: (entry) => ({
          ...auditEntryToWire(entry),
          before: JSON.stringify(entry.before),
          after: JSON.stringify(entry.after),
        }),
      });
    }
    const page = await pageOf(context, byId, ({ limit, from }) => store.audit.list({ ...filter, limit, before: from }));
    return { entries: page.map(auditEntryToWire) };
  },
});
