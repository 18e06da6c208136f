import Type, { type Static } from "typebox";
import { keyParameters, OVERLAP_MAX_SECONDS } from "../iam/keys.ts";
import { closedObject } from "../shared/closed-object.ts";
import { SCOPES } from "../shared/scopes.ts";
import {
  Created,
  End,
  KeyTitle,
  LastUsed,
  listOf,
  OrganizationIdOrNull,
  OrganizationName,
  Revoked,
  textOrNull,
  timeOrNull,
} from "./fields.ts";
import { closedQuery, organizationFilter } from "./queries.ts";

/** Keys as operators see them. */

export const OperatorKey = closedObject("OperatorKey", "A key, without its secret.", {
  id: Type.String(),
  organization_id: OrganizationIdOrNull,
  name: Type.String(),
  key_prefix: Type.String({ description: "The public part of the key." }),
  allowed_scopes: Type.Array(Type.String(), { description: "Scopes the key has. Empty means no access." }),
  allowed_cidrs: Type.Array(Type.String(), { description: "Networks the key may be used from. Empty means anywhere." }),
  expires: timeOrNull("When the key stops working, or null if it never expires."),
  created: Created,
  last_used: LastUsed,
  revoked: Revoked,
});
export type OperatorKey = Static<typeof OperatorKey>;

export const ListedKey = closedObject("ListedKey", "A key and who created it.", {
  ...OperatorKey.properties,
  created_by: textOrNull(
    "`command:<user>` for the CLI, `key:<prefix>` for the API, or `account:<email>` for the console.",
  ),
  old_secret_until: timeOrNull("After a rotation, until when the old secret works too, or null if it does not."),
});
export type ListedKey = Static<typeof ListedKey>;

export const KeysQuery = closedQuery({ org: organizationFilter, ...keyParameters });
export type KeysQuery = Static<typeof KeysQuery>;

export const KeyList = closedObject("KeyList", "One page of keys.", {
  keys: listOf(ListedKey, "Newest first unless `sort` says otherwise, including revoked keys."),
});
export type KeyList = Static<typeof KeyList>;

const Scopes = Type.Array(Type.Enum([...SCOPES]), {
  maxItems: 16,
  description: "Scopes of the key. Empty means no access.",
});

const Cidrs = Type.Array(Type.String({ maxLength: 49, examples: ["192.0.2.0/24"] }), {
  maxItems: 100,
  description: "Networks the key may be used from. Empty means anywhere.",
});

export const OperatorCreateKeyRequest = closedObject("OperatorCreateKeyRequest", "The key to create.", {
  name: KeyTitle,
  org: Type.Optional(
    Type.String({
      ...OrganizationName,
      description: "The organization that owns the key, by id or exact name. Omit for an operator key.",
    }),
  ),
  allowed_scopes: Type.Optional(Scopes),
  allowed_cidrs: Type.Optional(Cidrs),
  expires: Type.Optional(
    Type.Union(End.anyOf, {
      description:
        "When the key stops working, or null for never (default: never; for an operator key, the expiry of the calling key).",
    }),
  ),
});
export type OperatorCreateKeyRequest = Static<typeof OperatorCreateKeyRequest>;

export const OperatorUpdateKeyRequest = closedObject(
  "OperatorUpdateKeyRequest",
  "Fields to change. Omitted fields keep their values.",
  {
    name: Type.Optional(KeyTitle),
    allowed_scopes: Type.Optional(Scopes),
    allowed_cidrs: Type.Optional(Cidrs),
    expires: Type.Optional(End),
  },
);
export type OperatorUpdateKeyRequest = Static<typeof OperatorUpdateKeyRequest>;

export const OperatorRotateKeyRequest = closedObject(
  "OperatorRotateKeyRequest",
  "How to switch to the new secret. Without a body, the old secret stops working immediately.",
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_MAX_SECONDS,
        default: 0,
        description: "How long the old secret keeps working, up to 7 days.",
      }),
    ),
  },
);
export type OperatorRotateKeyRequest = Static<typeof OperatorRotateKeyRequest>;
