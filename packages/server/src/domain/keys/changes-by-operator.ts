/** Changes that operators make to keys over HTTP. `access/delegation.ts` has the rules. */
import { requireOperatorReach } from "../access/delegation.ts";
import { requireActiveOrganization } from "../access/find-organization.ts";
import { type Manager, managerAccess } from "../access/manager.ts";
import type { Operation, Tables } from "../store.ts";
import type { Key } from "./key.ts";
import {
  endOverlap,
  type IssuedKey,
  insertKey,
  type KeyChanges,
  type KeyRequest,
  requireCidrs,
  requireKey,
  requireScopes,
  rotateKey,
  updateKey,
} from "./keys.ts";

/** Creates an operator's key if the organization is undefined. */
export async function createKeyAsOperator(
  operation: Operation,
  manager: Manager,
  organization: string | undefined,
  request: Omit<KeyRequest, "organizationId" | "expires"> & { expires: Date | null | undefined },
): Promise<IssuedKey> {
  return operation.store.change(async (tables) => {
    const own = await managerAccess(tables, manager, "operator.write", operation.now);
    const organizationId =
      organization === undefined ? null : (await requireActiveOrganization(tables, organization)).id;
    const inherited = organizationId === null ? own : { cidrs: [], expires: null };
    const cidrs = request.cidrs.length === 0 ? inherited.cidrs : request.cidrs;
    const expires = request.expires === undefined ? inherited.expires : request.expires;
    const issued = await insertKey(tables, operation, { ...request, organizationId, cidrs, expires });
    requireOperatorReach(own, issued.key);
    return issued;
  });
}

export async function updateKeyAsOperator(
  operation: Operation,
  manager: Manager,
  id: string,
  changes: KeyChanges,
): Promise<Key> {
  // If nothing changes, there is nothing to audit.
  if (Object.keys(changes).length === 0) return requireKey(operation.store, id);
  const { scopes, cidrs, expires } = changes;
  const subject = (tables: Tables) =>
    requireKeyInReach(tables, operation, manager, id, (key) => ({
      ...key,
      ...(scopes && { scopes: requireScopes(scopes, key.organizationId) }),
      ...(cidrs && { cidrs: requireCidrs(cidrs) }),
      ...(expires !== undefined && { expires }),
    }));
  return updateKey(operation, subject, changes);
}

export async function rotateKeyAsOperator(
  operation: Operation,
  manager: Manager,
  id: string,
  overlapSeconds: number,
): Promise<IssuedKey> {
  return rotateKey(operation, (tables) => requireKeyInReach(tables, operation, manager, id), overlapSeconds);
}

export async function endOverlapAsOperator(operation: Operation, manager: Manager, id: string): Promise<Key> {
  return endOverlap(operation, (tables) => requireKeyInReach(tables, operation, manager, id));
}

/** The key, if the manager may change it: as it is and as it will be. */
async function requireKeyInReach(
  tables: Tables,
  { now }: Operation,
  manager: Manager,
  id: string,
  change: (key: Key) => Key = (key) => key,
): Promise<Key> {
  const own = await managerAccess(tables, manager, "operator.write", now);
  const key = await requireKey(tables, id);
  requireOperatorReach(own, key);
  requireOperatorReach(own, change(key));
  return key;
}
