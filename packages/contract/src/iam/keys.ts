import Type, { type Static } from "typebox";
import { listParameters } from "../operator/queries.ts";
import { CustomerScope } from "../shared/scopes.ts";

export const KEY_NAME_MAX_LENGTH = 100;
export const OVERLAP_MAX_SECONDS = 7 * 24 * 60 * 60;

const Name = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: "1 to 100 characters after trimming.",
});
const Cidr = Type.String({ maxLength: 49, examples: ["192.0.2.0/24"] });
const Expires = Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
  description: "When the key stops working, or null if it never expires.",
});

export const CreateKeyRequest = Type.Object(
  {
    name: Name,
    allowed_scopes: Type.Optional(
      Type.Array(CustomerScope, {
        maxItems: 16,
        description: "Defaults to no scopes, which means no access.",
      }),
    ),
    allowed_cidrs: Type.Optional(
      Type.Array(Cidr, { maxItems: 100, description: "Defaults to the CIDRs of the calling key." }),
    ),
    expires: Type.Optional(
      Type.Union(Expires.anyOf, {
        description:
          "When the key stops working, or null if it never expires. Defaults to the expiry of the calling key, which is also the latest allowed.",
      }),
    ),
  },
  { title: "CreateKeyRequest", additionalProperties: false, description: "The key to create." },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const CreatedKey = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    id: Type.String({ format: "uuid", description: "Identifies the key. Not a secret." }),
    name: Type.String({ description: "Display name." }),
    key: Type.String({ description: "The secret. It is returned only in this response, so store it now." }),
    key_prefix: Type.String({ description: "The public part of the key." }),
    allowed_cidrs: Type.Array(Type.String(), {
      description: "Networks the key may be used from. Empty means anywhere.",
    }),
    allowed_scopes: Type.Array(Type.String(), { description: "Scopes the key has. Empty means no access." }),
  },
  {
    title: "CreatedKey",
    additionalProperties: false,
    description: "A new key. The only response that contains its secret.",
  },
);
export type CreatedKey = Static<typeof CreatedKey>;

/** The only customer-facing error whose body has more than `rc`. */
export const AlreadyCreated = Type.Object(
  {
    rc: Type.Literal("ALREADY_CREATED"),
    id: Type.String({ format: "uuid", description: "The key created by the first request." }),
  },
  {
    title: "AlreadyCreated",
    additionalProperties: false,
    description: "A key was already created with this Idempotency-Key.",
  },
);

/** A key as its own organization sees it, without the secret. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "Identifies the key. Not a secret." }),
    name: Type.String({ description: "Display name." }),
    key_prefix: CreatedKey.properties.key_prefix,
    allowed_cidrs: Type.Array(Type.String(), {
      description: "Networks the key may be used from. Empty means anywhere.",
    }),
    allowed_scopes: Type.Array(Type.String(), { description: "Scopes the key has. Empty means no access." }),
    expires: Expires,
    created: Type.String({ format: "date-time", description: "When the key was created." }),
    last_used: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the key was last used, to within a minute, or null if it was never used.",
    }),
    revoked: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the key was revoked, or null if it was not.",
    }),
  },
  { title: "ApiKey", additionalProperties: false, description: "One of your organization's keys." },
);
export type ApiKey = Static<typeof ApiKey>;

/** The calling key. */
export const Identity = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    org: Type.Union(
      [
        Type.Object(
          {
            id: Type.String({ description: "Id of the organization." }),
            name: Type.String({ description: "Name of the organization." }),
          },
          { additionalProperties: false },
        ),
        Type.Null(),
      ],
      { description: "The organization that the key belongs to, or null for a key of the service's operator." },
    ),
    org_name: Type.Union([Type.String(), Type.Null()], { description: "Name of that organization, or null." }),
    service_name: Type.String({ description: "Name of this service, as its vendor calls it." }),
    account_id: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description:
        "The organization as a number, for the `AccountID` of geoipupdate, or null. Access depends on the key.",
    }),
    apikey_id: Type.String({ format: "uuid", description: "Identifies the key, as in the download history." }),
    name: ApiKey.properties.name,
    key_prefix: ApiKey.properties.key_prefix,
    allowed_cidrs: ApiKey.properties.allowed_cidrs,
    scopes: ApiKey.properties.allowed_scopes,
    expires: Type.Union(Expires.anyOf, {
      description:
        "When the key stops working, or null if it never expires. For the old secret of a rotated key, the end of its overlap.",
    }),
  },
  { title: "Identity", additionalProperties: false, description: "What the calling key is and what it may do." },
);
export type Identity = Static<typeof Identity>;

/** The caller's organization. */
export const OwnOrganization = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    org: Type.Object(
      {
        id: Type.String({ description: "Id of the organization." }),
        name: Type.String({ description: "Name of the organization." }),
        created: Type.String({ format: "date-time", description: "When the organization was added." }),
      },
      { additionalProperties: false, description: "Your organization." },
    ),
  },
  {
    title: "OwnOrganization",
    additionalProperties: false,
    description: "The organization that the caller belongs to.",
  },
);
export type OwnOrganization = Static<typeof OwnOrganization>;

export const ListedApiKey = Type.Object(
  {
    ...ApiKey.properties,
    created_by: Type.Union([Type.String(), Type.Null()], {
      description:
        "Who created the key: `account:<email>` for a member of your organization, `key:<prefix>` for one of its keys, or `vendor`.",
      examples: ["account:admin@customer.example"],
    }),
    old_secret_until: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "After a rotation, until when the old secret works too, or null if it does not.",
    }),
    last_used_at: Type.Union(ApiKey.properties.last_used.anyOf, { description: "The same as `last_used`." }),
    revoked_at: Type.Union(ApiKey.properties.revoked.anyOf, { description: "The same as `revoked`." }),
  },
  {
    title: "ListedApiKey",
    additionalProperties: false,
    description: "One of your organization's keys, and who created it.",
  },
);
export type ListedApiKey = Static<typeof ListedApiKey>;

export const ApiKeyList = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    keys: Type.Array(ListedApiKey, {
      description: "Newest first unless `sort` says otherwise, including revoked keys.",
    }),
  },
  { title: "ApiKeyList", additionalProperties: false, description: "One page of your organization's keys." },
);
export type ApiKeyList = Static<typeof ApiKeyList>;

export const KEYS_LIMIT = { minimum: 1, default: 1000, maximum: 1000 } as const;

export const KEY_SORTS = ["name", "created", "last_used", "expires"] as const;
export type KeySort = (typeof KEY_SORTS)[number];

/** Filters of lists of keys. */
export const keyParameters = {
  state: Type.Optional(
    Type.Enum(["active", "inactive"], { description: "`active`: keys that are neither revoked nor expired." }),
  ),
  ...listParameters(KEY_SORTS, "the name, the prefix and the id"),
};

export const ApiKeysQuery = Type.Object({
  ...keyParameters,
  limit: Type.Optional(Type.Integer({ ...KEYS_LIMIT, description: "Page size." })),
  cursor: Type.Optional(
    Type.String({ maxLength: 2000, description: "Start of the next page, taken from the `Link` header." }),
  ),
});
export type ApiKeysQuery = Static<typeof ApiKeysQuery>;

export const ChangedKey = Type.Object(
  { rc: Type.Literal("SUCCESS"), ...ApiKey.properties },
  { title: "ChangedKey", additionalProperties: false, description: "The key after the change." },
);
export type ChangedKey = Static<typeof ChangedKey>;

export const RotateKeyRequest = Type.Object(
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
  { title: "RotateKeyRequest", additionalProperties: false, description: "How to switch to the new secret." },
);
export type RotateKeyRequest = Static<typeof RotateKeyRequest>;

export const RevokeKeyRequest = Type.Object(
  {},
  { title: "RevokeKeyRequest", additionalProperties: false, description: "An empty object." },
);

export const UpdateKeyRequest = Type.Object(
  {
    name: Type.Optional(Name),
    allowed_scopes: Type.Optional(
      Type.Array(CustomerScope, { maxItems: 16, description: "Replaces the key's scopes." }),
    ),
    allowed_cidrs: Type.Optional(
      Type.Array(Cidr, { maxItems: 100, description: "Networks the key may be used from. Empty means anywhere." }),
    ),
    expires: Type.Optional(Expires),
  },
  {
    title: "UpdateKeyRequest",
    additionalProperties: false,
    minProperties: 1,
    description: "Fields to change. Omitted fields keep their values.",
  },
);
export type UpdateKeyRequest = Static<typeof UpdateKeyRequest>;
