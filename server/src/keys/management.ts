/**
 * Keys managed by a key, over HTTP. Nothing that a manager does may give more access than it has a right to give:
 *
 * - It manages the keys of its own organization; others' do not exist for it.
 * - It gives any of the customers' scopes, also one that it has not itself, and none of the operator's.
 * - Bound to CIDRs, it gives access from inside them only. A key that it creates is bound inside them, and takes
 *   them over where none are asked for. It renews or changes a key only if that is bound inside them, before the
 *   change and after: else it would get hold of a secret that works elsewhere, or let one do more elsewhere.
 * - If it expires, the same holds for its expiry: the keys that it creates, rotates and changes expire no later.
 * - Revoking gives nobody anything, so it may revoke every key of the organization.
 *
 * Its own key is no exception: it can rotate, narrow and revoke itself, and cannot reach further.
 */
import { hash } from "node:crypto";
import { invalid, notFound } from "../primitives/faults.ts";
import { isUuid } from "../primitives/ids.ts";
import type { Operation, Tables } from "../store.ts";
import { authenticate } from "./authenticate.ts";
import type { KeyProblem } from "./check.ts";
import { areInside } from "./cidrs.ts";
import { type Key, type KeyAccess, outlives } from "./key.ts";
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
import type { SecretHash } from "./secret.ts";

const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000;

/** The key that makes a change, as it was presented. */
export interface Manager {
  presented: string | undefined;
  address: string;
}

/** The manager's own key does not open the door any more. */
export class NotManager extends Error {
  readonly problem: KeyProblem;

  constructor(problem: KeyProblem) {
    super(`the key may not manage keys: ${problem}`);
    this.name = "NotManager";
    this.problem = problem;
  }
}

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

/** A repeated creation, by its idempotency key, creates nothing and names what the first one did. */
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

/** Done twice it is done once: whoever lost the first answer may ask again. */
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

type ManagerKey = KeyAccess & { organizationId: string };

/**
 * Checked once more, inside the change: a key that was revoked a moment ago on another process must not leave
 * new ones behind. Changes come one after the other, so what is found here still holds when it is written.
 */
async function requireManager(tables: Tables, { now }: Operation, manager: Manager): Promise<ManagerKey> {
  const fresh = { key: (secret: SecretHash) => tables.keys.bySecret(secret) };
  const { presented, address } = manager;
  const found = await authenticate(fresh, presented, { address, scope: "apikeys.manage", now });
  if (!found.caller) throw new NotManager(found.problem);
  const { organizationId } = found.caller.key;
  if (organizationId === null) throw new NotManager("no_organization");
  return { ...found.caller.key, organizationId };
}

async function earlierCreation(
  tables: Tables,
  { now }: Operation,
  { organizationId }: ManagerKey,
  idempotencyHash: string,
): Promise<string | undefined> {
  await tables.keys.removeCreations(new Date(now.getTime() - IDEMPOTENCY_MS));
  return (await tables.keys.creation(organizationId, idempotencyHash))?.keyId;
}

/** Another organization's key is not told from one that never was. */
async function requireManaged(tables: Tables, own: ManagerKey, id: string): Promise<Key> {
  const key = isUuid(id) ? await tables.keys.byId(id.toLowerCase()) : undefined;
  if (key?.organizationId !== own.organizationId) throw notFound("there is no such key");
  return key;
}

function requireInReach(key: Key, own: ManagerKey): Key {
  if (!areInside(key.cidrs, own.cidrs)) throw new OutOfReach("OUTSIDE_CIDRS");
  if (outlives(key, own)) throw new OutOfReach("BEYOND_EXPIRY");
  return key;
}

/** Checks what a key is about to get. */
function requireWithin({ cidrs, expires }: Pick<KeyChanges, "cidrs" | "expires">, own: ManagerKey): void {
  if (cidrs && !areInside(cidrs, own.cidrs)) throw invalid("the CIDRs are not inside the manager's own");
  if (expires !== undefined && outlives({ expires }, own)) throw invalid("the key would outlive the manager's own");
}
