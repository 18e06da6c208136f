import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { Created, KeyTitle, LastUsed, listOf, OrganizationIdOrNull, OrganizationName, Revoked } from "./fields.ts";
import { closedQuery, listParameters, organizationFilter } from "./queries.ts";

/** Keys of the v1 API as operators see them. */

export const OperatorLegacyKey = closedObject("OperatorLegacyKey", "A v1 key, without its UUID.", {
  id: Type.String({ description: "Identifies the key. This is not the UUID used to authenticate." }),
  organization_id: OrganizationIdOrNull,
  name: Type.String(),
  database_ids: Type.Array(Type.String(), { description: "Database ids the key may download." }),
  created: Created,
  last_used: LastUsed,
  revoked: Revoked,
});
export type OperatorLegacyKey = Static<typeof OperatorLegacyKey>;

export const LEGACY_KEY_SORTS = ["name", "organization", "created", "last_used"] as const;
export type LegacyKeySort = (typeof LEGACY_KEY_SORTS)[number];

export const LegacyKeysQuery = closedQuery({
  org: organizationFilter,
  state: Type.Optional(Type.Enum(["active", "inactive"], { description: "`inactive`: keys that were revoked." })),
  ...listParameters(LEGACY_KEY_SORTS, "the name, the id, the database ids and the name of the organization"),
});
export type LegacyKeysQuery = Static<typeof LegacyKeysQuery>;

export const LegacyKeyList = closedObject("LegacyKeyList", "One page of v1 keys.", {
  legacy_keys: listOf(OperatorLegacyKey, "Newest first unless `sort` says otherwise, including revoked keys."),
});
export type LegacyKeyList = Static<typeof LegacyKeyList>;

export const CreatedLegacyKey = closedObject(
  "CreatedLegacyKey",
  "A new v1 key. The only response that contains its UUID.",
  {
    ...OperatorLegacyKey.properties,
    key: Type.String({
      description: "The UUID to use as the v1 key. It is returned only in this response, so store it now.",
    }),
  },
);
export type CreatedLegacyKey = Static<typeof CreatedLegacyKey>;

export const CreateLegacyKeyRequest = closedObject("CreateLegacyKeyRequest", "The v1 key to create.", {
  name: KeyTitle,
  database_ids: Type.Array(DatabaseId, {
    maxItems: 1000,
    description: "Database ids the key may download, at least one.",
  }),
  org: Type.Optional(
    Type.String({
      ...OrganizationName,
      description: "The organization whose history shows this key's downloads (default: none).",
    }),
  ),
  uuid: Type.Optional(
    Type.String({ maxLength: 50, description: "An existing UUID to import (default: a new one is generated)." }),
  ),
});
export type CreateLegacyKeyRequest = Static<typeof CreateLegacyKeyRequest>;
