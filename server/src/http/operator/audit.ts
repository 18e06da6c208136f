import type { AuditQuery } from "@dbdepot/contract/operator-queries";
import type { AuditList } from "@dbdepot/contract/operator-responses";
import { subjectIds } from "../../audit/subjects.ts";
import { byId, pageOf } from "../page.ts";
import type { OperatorContext } from "./route.ts";

export async function listAudit(context: OperatorContext<AuditQuery>): Promise<AuditList> {
  const { services, query } = context;
  const filter = query.subject === undefined ? {} : { subjects: await subjectIds(services.store, query.subject) };
  const page = await pageOf(context, byId, ({ limit, from }) =>
    services.store.audit.list({ ...filter, limit, ...(from !== undefined && { before: from }) }),
  );
  return { entries: page.map((entry) => ({ ...entry, created: entry.created.toISOString() })) };
}
