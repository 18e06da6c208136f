import type { AuditList } from "@dbdepot/contract/operator-answers";
import type { AuditQuery } from "@dbdepot/contract/operator-queries";
import { byId, pageOf } from "./page.ts";
import type { OperatorVisit } from "./route.ts";

export async function listAudit(visit: OperatorVisit<AuditQuery>): Promise<AuditList> {
  const { parts, query } = visit;
  const ofSubject = query.subject === undefined ? {} : { subject: query.subject };
  const page = await pageOf(visit, byId, ({ limit, from }) =>
    parts.store.audit.list({ ...ofSubject, limit, ...(from !== undefined && { before: from }) }),
  );
  return { entries: page.map((entry) => ({ ...entry, created: entry.created.toISOString() })) };
}
