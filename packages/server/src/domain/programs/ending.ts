/** Ends program keys: the program loses its key, and has to ask a person again. */
import { record } from "../audit/audit.ts";
import { markRevoked } from "../keys/keys.ts";
import type { Operation, Tables } from "../store.ts";
import type { ProgramKey } from "./program-key.ts";

/** Ends everything that a person has approved, because the account loses access. Call it in a transaction. */
export async function endProgramKeysOf(tables: Tables, operation: Operation, accountId: string): Promise<void> {
  await tables.programs.removeApprovals(accountId);
  for (const programKey of await tables.programs.ofAccount(accountId)) {
    await endProgramKey(tables, operation, programKey, "account lost access");
  }
}

/** Ends everything that was approved for an organization, because it was archived. Call it in a transaction. */
export async function endProgramKeysFor(tables: Tables, operation: Operation, organizationId: string): Promise<void> {
  await tables.programs.removeApprovalsFor(organizationId);
  for (const programKey of await tables.programs.ofOrganization(organizationId)) {
    await endProgramKey(tables, operation, programKey, "organization archived");
  }
}

/** Revokes the key. Call it in a transaction. */
export async function endProgramKey(
  tables: Tables,
  operation: Operation,
  programKey: ProgramKey,
  reason: string,
): Promise<void> {
  const { id, programId, keyId } = programKey;
  await tables.programs.end(id, operation.now);
  const key = await tables.keys.byId(keyId);
  if (!key || key.revoked) return;
  await record(tables, operation, { action: "sign_in.ended", subject: id, after: { programId, keyId, reason } });
  await markRevoked(tables, operation, key);
}
