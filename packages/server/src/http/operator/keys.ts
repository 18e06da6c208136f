import { CreatedKey } from "@dbdepot/contract/iam/keys";
import {
  KeyList,
  OperatorCreateKeyRequest,
  OperatorKey,
  OperatorRotateKeyRequest,
  OperatorUpdateKeyRequest,
} from "@dbdepot/contract/operator/keys";
import { KeysQuery } from "@dbdepot/contract/operator/queries";
import { requireInReach } from "../../domain/keys/delegation.ts";
import type { Key } from "../../domain/keys/key.ts";
import { insertKey, requireCidrs, requireKey, revokeKey, rotateKey, updateKey } from "../../domain/keys/keys.ts";
import { listedKeys } from "../../domain/keys/listing.ts";
import { managerAccess } from "../../domain/keys/manager.ts";
import { issuedKeyToWire, keyChangesFromWire, keyToWire } from "../../domain/keys/wire.ts";
import { organizationIdOf, requireActiveOrganization } from "../../domain/organizations/organizations.ts";
import type { Tables } from "../../domain/store.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { managerOf } from "../operation.ts";
import { byId, pageOf } from "../page.ts";
import { type OperatorContext, operatorRoute } from "./route.ts";

export const KEY_ROUTES = [
  operatorRoute({
    method: "GET",
    url: "/api/operator/keys",
    scope: "operator.read",
    summary: "List all keys",
    query: KeysQuery,
    response: KeyList,
    async respond(context) {
      const { store } = context.services;
      const organizationId = await organizationIdOf(store, context.query.org);
      const page = await pageOf(context, byId, ({ limit, from }) =>
        store.keys.list({ organizationId, limit, before: from }),
      );
      return { keys: await listedKeys(store, page) };
    },
  }),
  operatorRoute({
    method: "POST",
    url: "/api/operator/keys",
    scope: "operator.write",
    summary: "Create a key",
    body: OperatorCreateKeyRequest,
    response: CreatedKey,
    /** Only this response and that of a rotation carry a secret. */
    async respond(context) {
      const { operation, body } = context;
      const { name, org, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [] } = body;
      const expires = requireTime("expires", body.expires);
      const issued = await operation.store.change(async (tables) => {
        const own = await managerAccess(tables, managerOf(context), "operator.write", operation.now);
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
    },
  }),
  operatorRoute({
    method: "PATCH",
    url: "/api/operator/keys/:id",
    scope: "operator.write",
    summary: "Change a key",
    body: OperatorUpdateKeyRequest,
    response: OperatorKey,
    async respond(context) {
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
    },
  }),
  operatorRoute({
    method: "POST",
    url: "/api/operator/keys/:id/rotate",
    scope: "operator.write",
    summary: "Rotate a key",
    body: OperatorRotateKeyRequest,
    isBodyOptional: true,
    response: CreatedKey,
    async respond(context) {
      const subject = (tables: Tables) => keyInReach(tables, context, (key) => key);
      return issuedKeyToWire(await rotateKey(context.operation, subject, context.body.overlap_seconds ?? 0));
    },
  }),
  operatorRoute({
    method: "POST",
    url: "/api/operator/keys/:id/revoke",
    scope: "operator.write",
    summary: "Revoke a key",
    response: OperatorKey,
    respond: async ({ operation, id }) => keyToWire(await revokeKey(operation, id)),
  }),
];

/** The key in the URL, if the caller may change it: as it is and as it will be. */
async function keyInReach(tables: Tables, context: OperatorContext, change: (key: Key) => Key): Promise<Key> {
  const own = await managerAccess(tables, managerOf(context), "operator.write", context.now);
  const key = await requireKey(tables, context.id);
  requireInReach(own, key);
  requireInReach(own, change(key));
  return key;
}
