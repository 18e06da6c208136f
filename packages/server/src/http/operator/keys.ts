import { CreatedKey } from "@dbdepot/contract/iam/keys";
import {
  KeyList,
  KeysQuery,
  OperatorCreateKeyRequest,
  OperatorKey,
  OperatorRotateKeyRequest,
  OperatorUpdateKeyRequest,
} from "@dbdepot/contract/operator/keys";
import { organizationIdOf } from "../../domain/access/find-organization.ts";
import {
  createKeyAsOperator,
  endOverlapAsOperator,
  rotateKeyAsOperator,
  updateKeyAsOperator,
} from "../../domain/keys/changes-by-operator.ts";
import { revokeKey } from "../../domain/keys/keys.ts";
import { activeAt, listedKeys } from "../../domain/keys/listing.ts";
import { issuedKeyToWire, keyChangesFromWire, keyToWire } from "../../domain/keys/wire.ts";
import { requireTime } from "../../platform/primitives/dates.ts";
import { endpoint, managerOf } from "../endpoint.ts";
import { listPage } from "../page.ts";

export const KEY_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/keys",
    scope: "operator.read",
    summary: "List all keys",
    query: KeysQuery,
    response: KeyList,
    async respond(context) {
      const { store } = context.services;
      const organizationId = await organizationIdOf(store, context.query.org);
      const filter = { organizationId, active: activeAt(context.query.state, context.now) };
      const page = await listPage(context, (request) => store.keys.page(filter, request));
      return { keys: await listedKeys(store, page, context.now) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/keys",
    scope: "operator.write",
    summary: "Create a key",
    body: OperatorCreateKeyRequest,
    response: CreatedKey,
    /** Only this response and that of a rotation carry a secret. */
    async respond(context) {
      const { name, org, allowed_scopes: scopes = [], allowed_cidrs: cidrs = [], expires } = context.body;
      const request = { name, scopes, cidrs, expires: requireTime("expires", expires) };
      const issued = await createKeyAsOperator(context.operation, managerOf(context), org, request);
      return issuedKeyToWire(issued);
    },
  }),
  endpoint({
    method: "PATCH",
    url: "/api/operator/keys/:id",
    scope: "operator.write",
    summary: "Change a key",
    body: OperatorUpdateKeyRequest,
    response: OperatorKey,
    async respond(context) {
      const changes = keyChangesFromWire(context.body);
      return keyToWire(await updateKeyAsOperator(context.operation, managerOf(context), context.id, changes));
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/keys/:id/rotate",
    scope: "operator.write",
    summary: "Rotate a key",
    body: OperatorRotateKeyRequest,
    isBodyOptional: true,
    response: CreatedKey,
    async respond(context) {
      const overlapSeconds = context.body.overlap_seconds ?? 0;
      const issued = await rotateKeyAsOperator(context.operation, managerOf(context), context.id, overlapSeconds);
      return issuedKeyToWire(issued);
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/keys/:id/end-overlap",
    scope: "operator.write",
    summary: "End the overlap of a rotation",
    response: OperatorKey,
    respond: async (context) =>
      keyToWire(await endOverlapAsOperator(context.operation, managerOf(context), context.id)),
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/keys/:id/revoke",
    scope: "operator.write",
    summary: "Revoke a key",
    response: OperatorKey,
    respond: async ({ operation, id }) => keyToWire(await revokeKey(operation, id)),
  }),
];
