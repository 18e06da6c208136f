import { requireActiveOrganization } from "../access/find-organization.ts";
import type { AccountCaller } from "../access/session.ts";
import { record } from "../audit/audit.ts";
import type { Operation } from "../store.ts";

/** Shows an operator the console of an organization until they leave it. They can change nothing there. */
export async function viewAs(operation: Operation, { session }: AccountCaller, idOrName: string): Promise<void> {
  await operation.store.change(async (tables) => {
    const { id, name } = await requireActiveOrganization(tables, idOrName);
    await tables.sessions.setViewed(session.id, id);
    await record(tables, operation, { action: "session.viewed_as", subject: id, after: { name } });
  });
}

/** Leaving again has no effect. */
export async function leaveView(operation: Operation, { session, account, operator }: AccountCaller): Promise<void> {
  const { organization } = account;
  if (!operator || !organization) return;
  await operation.store.change(async (tables) => {
    await tables.sessions.setViewed(session.id, null);
    const { id, name } = organization;
    await record(tables, operation, { action: "session.view_left", subject: id, after: { name } });
  });
}
