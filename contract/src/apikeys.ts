import Type, { type Static } from "typebox";
import { CustomerScope } from "./scopes.ts";

export const KEY_NAME_MAX_LENGTH = 100;

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
  { additionalProperties: false },
);
export type CreateKeyRequest = Static<typeof CreateKeyRequest>;

export const CreatedKey = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    key: Type.String({ description: "The secret. No other response ever shows it: store it now." }),
    key_prefix: Type.String({ description: "The part of the key that is no secret." }),
    allowed_cidrs: Type.Array(Type.String()),
    allowed_scopes: Type.Array(Type.String()),
  },
  { additionalProperties: false },
);
export type CreatedKey = Static<typeof CreatedKey>;
