import type { CreatedKey } from "@dbdepot/contract/apikeys";
import type { OperatorKey } from "@dbdepot/contract/operator";
import type { KeysQuery } from "@dbdepot/contract/operator-queries";
import type {
  OperatorCreateKeyRequest,
  OperatorRotateKeyRequest,
  OperatorUpdateKeyRequest,
} from "@dbdepot/contract/operator-requests";
import type { KeyList } from "@dbdepot/contract/operator-responses";
import { ownKey, requireInReach } from "../../keys/delegation.ts";
import type { Key } from "../../keys/key.ts";
import { insertKey, requireCidrs, requireKey, revokeKey, rotateKey, updateKey } from "../../keys/keys.ts";
import type { Manager } from "../../keys/management.ts";
import { issuedKeyToWire, keyChangesFromWire, keyToWire } from "../../keys/wire.ts";
import { requireActiveOrganization } from "../../organizations/organizations.ts";
import { requireTime } from "../../primitives/dates.ts";
import type { Tables } from "../../store.ts";
import { bearerKey } from "../credentials.ts";
import { byId, pageOf } from "../page.ts";
import { organizationFilter } from "./organizations.ts";
import type { OperatorContext } from "./route.ts";

export async function listKeys(context: OperatorContext<KeysQuery>): Promise<KeyList> {
  const { store } = context.services;
  const filter = await organizationFilter(store, context.query.org);
  const page = await pageOf(context, byId, ({ limit, from }) =>
    store.keys.list({ ...filter, limit, ...(from !== undefined && { before: from }) }),
  );
  return { keys: page.map(keyToWire) };
}

/** Creates a key. Only this response and that of a rotation carry a secret. */
export async function postKey(context: OperatorContext<unknown, OperatorCreateKeyRequest>): Promise<CreatedKey> {
  const { operation, body } = context;
  const { name, org, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [] } = body;
  const expires = requireTime("expires", body.expires);
  const issued = await operation.store.change(async (tables) => {
    const own = await ownKey(tables, managerOf(context), operation.now);
    const organizationId = org === undefined ? null : (await requireActiveOrganization(tables, org)).id;
    const inherited = organizationId === null ? own : { cidrs: [], expires: null };
    const made = await insertKey(tables, operation, {
      organizationId,
      name,
      scopes,
      cidrs: cidrs.length === 0 ? inherited.cidrs : cidrs,
      expires: expires === undefined ? inherited.expires : expires,
    });
    requireInReach(own, made.key);
    return made;
  });
  return issuedKeyToWire(issued);
}

export async function postRotation(context: OperatorContext<unknown, OperatorRotateKeyRequest>): Promise<CreatedKey> {
  const subject = (tables: Tables) => keyInReach(tables, context, (key) => key);
  return issuedKeyToWire(await rotateKey(context.operation, subject, context.body.overlap_seconds ?? 0));
}

export async function postRevocation({ operation, id }: OperatorContext): Promise<OperatorKey> {
  return keyToWire(await revokeKey(operation, id));
}

export async function patchKey(context: OperatorContext<unknown, OperatorUpdateKeyRequest>): Promise<OperatorKey> {
  const { operation, id, body } = context;
  const changes = keyChangesFromWire(body);
  // Without changes there is nothing to audit.
  if (Object.keys(changes).length === 0) return keyToWire(await requireKey(operation.store, id));
  const subject = (tables: Tables) =>
    keyInReach(tables, context, (key) => ({
      ...key,
      ...(body.allowed_scopes && { scopes: body.allowed_scopes }),
      ...(body.allowed_cidrs && { cidrs: requireCidrs(body.allowed_cidrs) }),
      ...(changes.expires !== undefined && { expires: changes.expires }),
    }));
  return keyToWire(await updateKey(operation, subject, changes));
}

/** The key in the URL, if the caller may change it: as it is and as it will be. */
async function keyInReach(tables: Tables, context: OperatorContext, change: (key: Key) => Key): Promise<Key> {
  const own = await ownKey(tables, managerOf(context), context.now);
  const key = await requireKey(tables, context.id);
  requireInReach(own, key);
  requireInReach(own, change(key));
  return key;
}

function managerOf({ request }: OperatorContext): Manager {
  return { presented: bearerKey(request), address: request.clientAddress };
}
