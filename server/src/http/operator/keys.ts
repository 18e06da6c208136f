import type { CreatedKey } from "@dbdepot/contract/apikeys";
import type { OperatorKey } from "@dbdepot/contract/operator";
import type { KeyList } from "@dbdepot/contract/operator-answers";
import type { KeysQuery } from "@dbdepot/contract/operator-queries";
import type {
  OperatorCreateKeyRequest,
  OperatorRotateKeyRequest,
  OperatorUpdateKeyRequest,
} from "@dbdepot/contract/operator-requests";
import type { Key } from "../../keys/key.ts";
import {
  insertKey,
  type KeyChanges,
  requireCidrs,
  requireKey,
  revokeKey,
  rotateKey,
  updateKey,
} from "../../keys/keys.ts";
import { issuedKeyToWire, keyToWire } from "../../keys/wire.ts";
import { requireOrganization } from "../../organizations/organizations.ts";
import type { Tables } from "../../store.ts";
import { ownKey, requireInReach } from "./delegation.ts";
import { organizationFilter } from "./organizations.ts";
import { byId, pageOf } from "./page.ts";
import { moment } from "./query.ts";
import type { OperatorVisit } from "./route.ts";

export async function listKeys(visit: OperatorVisit<KeysQuery>): Promise<KeyList> {
  const { store } = visit.parts;
  const filter = await organizationFilter(store, visit.query.org);
  const page = await pageOf(visit, byId, ({ limit, from }) =>
    store.keys.list({ ...filter, limit, ...(from !== undefined && { before: from }) }),
  );
  return { keys: page.map(keyToWire) };
}

/** This answer and that of a rotation are the only ones that carry a secret. */
export async function postKey(visit: OperatorVisit<unknown, OperatorCreateKeyRequest>): Promise<CreatedKey> {
  const { operation, body } = visit;
  const { name, org, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [] } = body;
  const expires = moment("expires", body.expires) ?? null;
  const issued = await operation.store.change(async (tables) => {
    const own = await ownKey(tables, visit);
    const organizationId = org === undefined ? null : (await requireOrganization(tables, org)).id;
    const places = organizationId === null && cidrs.length === 0 ? own.cidrs : cidrs;
    const made = await insertKey(tables, operation, { organizationId, name, scopes, cidrs: places, expires });
    requireInReach(own, made.key);
    return made;
  });
  return issuedKeyToWire(issued);
}

export async function postRotation(visit: OperatorVisit<unknown, OperatorRotateKeyRequest>): Promise<CreatedKey> {
  const subject = (tables: Tables) => keyInReach(tables, visit, (key) => key);
  return issuedKeyToWire(await rotateKey(visit.operation, subject, visit.body.overlap_seconds ?? 0));
}

export async function postRevocation({ operation, id }: OperatorVisit): Promise<OperatorKey> {
  return keyToWire(await revokeKey(operation, id));
}

export async function patchKey(visit: OperatorVisit<unknown, OperatorUpdateKeyRequest>): Promise<OperatorKey> {
  const { operation, id, body } = visit;
  const changes = changesOf(body);
  // Nothing to change is nothing to write down.
  if (Object.keys(changes).length === 0) return keyToWire(await requireKey(operation.store, id));
  const subject = (tables: Tables) =>
    keyInReach(tables, visit, (key) => ({
      ...key,
      ...(body.allowed_scopes && { scopes: body.allowed_scopes }),
      ...(body.allowed_cidrs && { cidrs: requireCidrs(body.allowed_cidrs) }),
    }));
  return keyToWire(await updateKey(operation, subject, changes));
}

/** The key that the address names, if the caller may do this to it: as it is, and as it will be. */
async function keyInReach(tables: Tables, visit: OperatorVisit, change: (key: Key) => Key): Promise<Key> {
  const own = await ownKey(tables, visit);
  const key = await requireKey(tables, visit.id);
  requireInReach(own, key);
  requireInReach(own, change(key));
  return key;
}

function changesOf({ name, allowed_scopes, allowed_cidrs, expires }: OperatorUpdateKeyRequest): KeyChanges {
  const end = moment("expires", expires);
  return {
    ...(name !== undefined && { name }),
    ...(allowed_scopes && { scopes: allowed_scopes }),
    ...(allowed_cidrs && { cidrs: allowed_cidrs }),
    ...(end !== undefined && { expires: end }),
  };
}
