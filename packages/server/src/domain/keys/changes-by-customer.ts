/**
 * Keys managed by another key or a person, the manager, over HTTP. A manager cannot grant more access than it may:
 *
 * - It manages the keys of its own organization. Other keys look as if they did not exist.
 * - It may grant every customer scope, even one that it does not have itself, and no operator scope.
 * - If it is bound to CIDRs, the keys that it creates are bound inside them, and inherit them by default. It rotates and
 *   changes only keys that are bound inside them, before and after the change. Otherwise it could obtain a secret that
 *   works elsewhere, or extend what one may do elsewhere.
 * - If it expires, the same applies to its expiry: the keys that it creates, rotates and changes expire no later.
 * - Revoking grants no access, so it may revoke every key of the organization.
 *
 * The same rules apply to its own key: it can rotate, restrict and revoke itself.
 */
import { hash } from "node:crypto";
import { invalid, notFound } from "../../platform/primitives/faults.ts";
import { isUuid } from "../../platform/primitives/ids.ts";
import { areInside } from "../access/cidrs.ts";
import { type Manager, type ManagerAccess, managerAccess, NotManager } from "../access/manager.ts";
import type { Operation, Tables } from "../store.ts";
import { type Key, outlives } from "./key.ts";
import {
  type IssuedKey,
  insertKey,
  type KeyChanges,
  type KeyRequest,
  markRevoked,
  requireCidrs,
  rotateKey,
  updateKey,
} from "./keys.ts";

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** The key to be changed works where or when the manager's does not. */
export class OutOfReach extends Error {
  override readonly name = "OutOfReach";
  readonly code: "OUTSIDE_CIDRS" | "BEYOND_EXPIRY";

  constructor(code: OutOfReach["code"]) {
    super(`the manager's key cannot change this key: ${code}`);
    this.code = code;
  }
}

export type Creation = IssuedKey | { alreadyCreated: string };

/** If the idempotency key was used before, creates nothing and returns the id of the key that was created then. */
export async function createManagedKey(
  operation: Operation,
  manager: Manager,
  request: Omit<KeyRequest, "organizationId" | "expires"> & { expires: Date | null | undefined },
  idempotencyKey: string | undefined,
): Promise<Creation> {
  return operation.store.change(async (tables) => {
    const own = await requireManager(tables, operation, manager);
    const idempotencyHash = idempotencyKey === undefined ? undefined : hash("sha256", idempotencyKey);
    const earlier = idempotencyHash && (await earlierCreation(tables, operation, own, idempotencyHash));
    if (earlier) return { alreadyCreated: earlier };
    const { organizationId } = own;
    const cidrs = request.cidrs.length === 0 ? own.cidrs : request.cidrs;
    const expires = request.expires === undefined ? own.expires : request.expires;
    requireWithin({ cidrs: requireCidrs(cidrs), expires }, own);
    const issued = await insertKey(tables, operation, { ...request, organizationId, cidrs, expires });
    if (idempotencyHash) {
      const creation = { organizationId, idempotencyHash, keyId: issued.key.id, created: operation.now };
      await tables.keys.insertCreation(creation);
    }
    return issued;
  });
}

export async function rotateManagedKey(
  operation: Operation,
  manager: Manager,
  id: string,
  overlapSeconds: number,
): Promise<IssuedKey> {
  const subject = async (tables: Tables) => {
    const own = await requireManager(tables, operation, manager);
    return requireInReach(await requireManaged(tables, own, id), own);
  };
  return rotateKey(operation, subject, overlapSeconds);
}

/** Idempotent, so that a client that missed the response can retry. */
export async function revokeManagedKey(operation: Operation, manager: Manager, id: string): Promise<Key> {
  return operation.store.change(async (tables) => {
    const key = await requireManaged(tables, await requireManager(tables, operation, manager), id);
    return key.revoked ? key : markRevoked(tables, operation, key);
  });
}

export async function updateManagedKey(
  operation: Operation,
  manager: Manager,
  id: string,
  changes: KeyChanges,
): Promise<Key> {
  const subject = async (tables: Tables) => {
    const own = await requireManager(tables, operation, manager);
    const key = requireInReach(await requireManaged(tables, own, id), own);
    const { cidrs, expires } = changes;
    requireWithin({ ...(cidrs && { cidrs: requireCidrs(cidrs) }), ...(expires !== undefined && { expires }) }, own);
    return key;
  };
  return updateKey(operation, subject, changes);
}

type OwnAccess = ManagerAccess & { organizationId: string };

/** What the caller may do, if it may still manage its organization. */
export async function requireManager(tables: Tables, { now }: Operation, manager: Manager): Promise<OwnAccess> {
  const own = await managerAccess(tables, manager, "apikeys.manage", now);
  const { organizationId } = own;
  if (organizationId === null) throw new NotManager("no_organization");
  return { ...own, organizationId };
}

async function earlierCreation(
  tables: Tables,
  { now }: Operation,
  { organizationId }: OwnAccess,
  idempotencyHash: string,
): Promise<string | undefined> {
  await tables.keys.removeCreations(new Date(now.getTime() - IDEMPOTENCY_MS));
  return (await tables.keys.creation(organizationId, idempotencyHash))?.keyId;
}

/** Another organization's key is reported like one that does not exist. */
async function requireManaged(tables: Tables, own: OwnAccess, id: string): Promise<Key> {
  const key = isUuid(id) ? await tables.keys.byId(id.toLowerCase()) : undefined;
  if (key?.organizationId !== own.organizationId) throw notFound("there is no such key");
  return key;
}

function requireInReach(key: Key, own: OwnAccess): Key {
  if (!areInside(key.cidrs, own.cidrs)) throw new OutOfReach("OUTSIDE_CIDRS");
  if (outlives(key, own)) throw new OutOfReach("BEYOND_EXPIRY");
  return key;
}

/** Checks what a key is about to get. */
function requireWithin({ cidrs, expires }: Pick<KeyChanges, "cidrs" | "expires">, own: OwnAccess): void {
  if (cidrs && !areInside(cidrs, own.cidrs)) throw invalid("the CIDRs are not inside the manager's own");
  if (expires !== undefined && outlives({ expires }, own)) throw invalid("the key would outlive the manager's own");
}
