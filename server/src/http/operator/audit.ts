import { AuditQuery } from "@dbdepot/contract/operator-queries";
import { AuditList } from "@dbdepot/contract/operator-responses";
import { subjectIds } from "../../audit/subjects.ts";
import { byId, pageOf } from "../page.ts";
import { operatorRoute } from "./route.ts";

export const AUDIT_ROUTE = operatorRoute({
  method: "GET",
  url: "/api/operator/audit",
  scope: "operator.read",
  summary: "Read the audit log",
  query: AuditQuery,
  response: AuditList,
  async respond(context) {
    const { store } = context.services;
    const { subject } = context.query;
    const subjects = subject === undefined ? undefined : await subjectIds(store, subject);
    const page = await pageOf(context, byId, ({ limit, from }) => store.audit.list({ subjects, limit, before: from }));
    return { entries: page.map((entry) => ({ ...entry, created: entry.created.toISOString() })) };
  },
});
