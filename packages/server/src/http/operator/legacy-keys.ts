import {
  CreatedLegacyKey,
  CreateLegacyKeyRequest,
  LegacyKeyList,
  LegacyKeysQuery,
  OperatorLegacyKey,
} from "@dbdepot/contract/operator/legacy-keys";
import { organizationIdOf } from "../../domain/access/find-organization.ts";
import { activeAt } from "../../domain/keys/listing.ts";
import { createLegacyKey, revokeLegacyKey } from "../../domain/legacy-keys/legacy-keys.ts";
import { legacyKeyToWire } from "../../domain/legacy-keys/wire.ts";
import { endpoint } from "../endpoint.ts";
import { listPage } from "../page.ts";

export const LEGACY_KEY_ROUTES = [
  endpoint({
    method: "GET",
    url: "/api/operator/legacy-keys",
    scope: "operator.read",
    summary: "List v1 keys",
    query: LegacyKeysQuery,
    response: LegacyKeyList,
    async respond(context) {
      const { store } = context.services;
      const organizationId = await organizationIdOf(store, context.query.org);
      const filter = { organizationId, active: activeAt(context.query.state, context.now) };
      const page = await listPage(context, (request) => store.legacyKeys.page(filter, request));
      return { legacy_keys: page.map(legacyKeyToWire) };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/legacy-keys",
    scope: "operator.write",
    summary: "Create a v1 key",
    body: CreateLegacyKeyRequest,
    response: CreatedLegacyKey,
    /** Only this response carries the UUID. */
    async respond({ operation, body: { name, database_ids: databaseIds, org: organization, uuid: existing } }) {
      const { key, uuid } = await createLegacyKey(operation, { name, databaseIds, organization, uuid: existing });
      return { ...legacyKeyToWire(key), key: uuid };
    },
  }),
  endpoint({
    method: "POST",
    url: "/api/operator/legacy-keys/:id/revoke",
    scope: "operator.write",
    summary: "Revoke a v1 key",
    response: OperatorLegacyKey,
    respond: async ({ operation, id }) => legacyKeyToWire(await revokeLegacyKey(operation, id)),
  }),
];
