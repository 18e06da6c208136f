import { record } from "../audit/audit.ts";
import { announce } from "../events/events.ts";
import type { Operation, Tables } from "../store.ts";
import { requestEvent } from "./events.ts";
import { mailDecision } from "./mails.ts";
import type { AccessRequest, GrantedLicence } from "./request.ts";

/**
 * Marks the organization's pending request for the family as granted. Every grant and renewal calls it in its transaction,
 * so that no request stays in the inbox after its organization got a licence in another way.
 */
export async function settleRequests(
  tables: Tables,
  operation: Operation,
  { id: licenceId, organizationId, base }: GrantedLicence,
  reply = "",
): Promise<void> {
  for (const request of await tables.requests.list({ organizationId, base, state: "pending" })) {
    await decide(tables, operation, request, { state: "granted", reply, licenceId });
  }
}

export async function decide(
  tables: Tables,
  operation: Operation,
  before: AccessRequest,
  decision: { state: "granted" | "declined"; reply: string; licenceId: string | null },
): Promise<AccessRequest> {
  const after: AccessRequest = { ...before, ...decision, decided: operation.now };
  const action = `access_request.${decision.state}` as const;
  await tables.requests.update(after);
  await record(tables, operation, { action, subject: after.id, before, after });
  await announce(tables, operation, requestEvent(action, after));
  await mailDecision(tables, operation, after);
  return after;
}
