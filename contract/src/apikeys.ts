import Type, { type Static } from "typebox";
import { CustomerScope } from "./scopes.ts";

export const KEY_NAME_MAX_LENGTH = 100;
export const OVERLAP_MAX_SECONDS = 7 * 24 * 60 * 60;

const Name = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: "1 to 100 characters, white space around it not counted.",
});
const Cidr = Type.String({ maxLength: 49, examples: ["192.0.2.0/24"] });
const Expires = Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
  description: "When the key stops working; null for never.",
});

export const CreateKeyRequest = Type.Object(
  {
    name: Name,
    allowed_scopes: Type.Optional(
      Type.Array(CustomerScope, { maxItems: 16, description: "None given: the key can do nothing yet." }),
    ),
    allowed_cidrs: Type.Optional(Type.Array(Cidr, { maxItems: 100, description: "None given: your own key's." })),
    expires: Type.Optional(Expires),
  },
  { title: "CreateKeyRequest", additionalProperties: false, description: "The key to create." },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const CreatedKey = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    id: Type.String({ format: "uuid", description: "Names the key; it is no secret." }),
    name: Type.String({ description: "What you call it." }),
    key: Type.String({ description: "The secret. No other response ever shows it: store it now." }),
    key_prefix: Type.String({ description: "The part of the key that is no secret." }),
    allowed_cidrs: Type.Array(Type.String(), { description: "Where it may be used from; none: from anywhere." }),
    allowed_scopes: Type.Array(Type.String(), { description: "What it may do; none: nothing." }),
  },
  {
    title: "CreatedKey",
    additionalProperties: false,
    description: "A new key, with the only sight of its secret.",
  },
);
export type CreatedKey = Static<typeof CreatedKey>;

/** The one error whose body says more than its code. */
export const AlreadyCreated = Type.Object(
  {
    rc: Type.Literal("ALREADY_CREATED"),
    id: Type.String({ format: "uuid", description: "The key that the first request created." }),
  },
  { title: "AlreadyCreated", additionalProperties: false, description: "The creation was made before." },
);

/** As an organization sees a key of its own, never with the secret. */
export const ApiKey = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "Names the key; it is no secret." }),
    name: Type.String({ description: "What you call it." }),
    key_prefix: CreatedKey.properties.key_prefix,
    allowed_cidrs: Type.Array(Type.String(), { description: "Where it may be used from; none: from anywhere." }),
    allowed_scopes: Type.Array(Type.String(), { description: "What it may do; none: nothing." }),
    expires: Expires,
    created: Type.String({ format: "date-time", description: "When it was created." }),
    last_used: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When it was last used, to within a minute; null when it never was.",
    }),
    revoked: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When it was revoked; null while it was not.",
    }),
  },
  { title: "ApiKey", additionalProperties: false, description: "A key of your organization." },
);
export type ApiKey = Static<typeof ApiKey>;

export const ApiKeyList = Type.Object(
  { rc: Type.Literal("SUCCESS"), keys: Type.Array(ApiKey, { description: "Newest first, revoked ones included." }) },
  { title: "ApiKeyList", additionalProperties: false, description: "The keys of your organization." },
);
export type ApiKeyList = Static<typeof ApiKeyList>;

export const ChangedKey = Type.Object(
  { rc: Type.Literal("SUCCESS"), ...ApiKey.properties },
  { title: "ChangedKey", additionalProperties: false, description: "A key, as it is from now on." },
);
export type ChangedKey = Static<typeof ChangedKey>;

export const RotateKeyRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_MAX_SECONDS,
        default: 0,
        description: "How long the old secret works on, up to 7 days.",
      }),
    ),
  },
  { title: "RotateKeyRequest", additionalProperties: false, description: "How to change over to the new secret." },
);
export type RotateKeyRequest = Static<typeof RotateKeyRequest>;

export const RevokeKeyRequest = Type.Object(
  {},
  { title: "RevokeKeyRequest", additionalProperties: false, description: "There is nothing to say." },
);

export const UpdateKeyRequest = Type.Object(
  {
    name: Type.Optional(Name),
    allowed_scopes: Type.Optional(
      Type.Array(CustomerScope, { maxItems: 16, description: "All that it may do from now on." }),
    ),
    allowed_cidrs: Type.Optional(
      Type.Array(Cidr, { maxItems: 100, description: "All places where it may be used from; none: from anywhere." }),
    ),
    expires: Type.Optional(Expires),
  },
  {
    title: "UpdateKeyRequest",
    additionalProperties: false,
    minProperties: 1,
    description: "What to change; what is left out stays as it is.",
  },
);
export type UpdateKeyRequest = Static<typeof UpdateKeyRequest>;
