/** Changes that an organization makes to its own keys. `access/delegation.ts` has the rules. */
import { hash } from "node:crypto";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import { notFound } from "../../platform/primitives/faults.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import { requireCustomerReach, requireGrantable } from "../access/delegation.ts";
import { type CustomerAccess, type Manager, requireCustomerManager } from "../access/manager.ts";
import type { Operation, Tables } from "../store.ts";
import type { Key } from "./key.ts";
import {
  endOverlap,
  type IssuedKey,
  insertKey,
  type KeyChanges,
  type KeyRequest,
  type KeySubject,
  markRevoked,
  requireCidrs,
  rotateKey,
  updateKey,
} from "./keys.ts";

const IDEMPOTENCY_MS = DAY_MS;

type Creation = IssuedKey | { alreadyCreated: string };

/** If the idempotency key was used before, creates nothing and returns the id of the key that was created then. */
export async function createKeyAsCustomer(
  operation: Operation,
  manager: Manager,
  request: Omit<KeyRequest, "organizationId" | "expires"> & { expires: Date | null | undefined },
  idempotencyKey: string | undefined,
): Promise<Creation> {
  return operation.store.change(async (tables) => {
    const own = await requireCustomerManager(tables, manager, operation.now);
    const idempotencyHash = idempotencyKey === undefined ? undefined : hash("sha256", idempotencyKey);
    const earlier = idempotencyHash && (await earlierCreation(tables, operation, own, idempotencyHash));
    if (earlier) return { alreadyCreated: earlier };
    const { organizationId } = own;
    const cidrs = request.cidrs.length === 0 ? own.cidrs : request.cidrs;
    const expires = request.expires === undefined ? own.expires : request.expires;
    requireGrantable(own, { cidrs: requireCidrs(cidrs), expires });
    const issued = await insertKey(tables, operation, { ...request, organizationId, cidrs, expires });
    if (idempotencyHash) {
      const creation = { organizationId, idempotencyHash, keyId: issued.key.id, created: operation.now };
      await tables.keys.insertCreation(creation);
    }
    return issued;
  });
}

export async function rotateKeyAsCustomer(
  operation: Operation,
  manager: Manager,
  id: string,
  overlapSeconds: number,
): Promise<IssuedKey> {
  return rotateKey(operation, inReach(operation, manager, id), overlapSeconds);
}

export async function endOverlapAsCustomer(operation: Operation, manager: Manager, id: string): Promise<Key> {
  return endOverlap(operation, inReach(operation, manager, id));
}

/** Finds a key that the manager may change. */
function inReach({ now }: Operation, manager: Manager, id: string): KeySubject {
  return async (tables) => {
    const own = await requireCustomerManager(tables, manager, now);
    const key = await requireManaged(tables, own, id);
    requireCustomerReach(own, key);
    return key;
  };
}

/** Idempotent, so that a client that missed the response can retry. */
export async function revokeKeyAsCustomer(operation: Operation, manager: Manager, id: string): Promise<Key> {
  return operation.store.change(async (tables) => {
    const key = await requireManaged(tables, await requireCustomerManager(tables, manager, operation.now), id);
    return key.revoked ? key : markRevoked(tables, operation, key);
  });
}

export async function updateKeyAsCustomer(
  operation: Operation,
  manager: Manager,
  id: string,
  changes: KeyChanges,
): Promise<Key> {
  const subject = async (tables: Tables) => {
    const own = await requireCustomerManager(tables, manager, operation.now);
    const key = await requireManaged(tables, own, id);
    requireCustomerReach(own, key);
    requireGrantable(own, { cidrs: changes.cidrs && requireCidrs(changes.cidrs), expires: changes.expires });
    return key;
  };
  return updateKey(operation, subject, changes);
}

async function earlierCreation(
  tables: Tables,
  { now }: Operation,
  { organizationId }: CustomerAccess,
  idempotencyHash: string,
): Promise<string | undefined> {
  await tables.keys.removeCreations(new Date(now.getTime() - IDEMPOTENCY_MS));
  return (await tables.keys.creation(organizationId, idempotencyHash))?.keyId;
}

/** Another organization's key is reported like one that does not exist. */
async function requireManaged(tables: Tables, own: CustomerAccess, id: string): Promise<Key> {
  const key = isUuid(id) ? await tables.keys.byId(id.toLowerCase()) : undefined;
  if (key?.organizationId !== own.organizationId) throw notFound("there is no such key");
  return key;
}
