import Type, { type Static } from "typebox";
import { KEY_NAME_MAX_LENGTH, OVERLAP_MAX_SECONDS } from "./apikeys.ts";
import { REDISTRIBUTIONS } from "./catalogue.ts";
import { DatabaseId } from "./database-id.ts";
import { Format } from "./formats.ts";
import { closedObject } from "./operator-object.ts";
import { SCOPES } from "./scopes.ts";

/** The bodies that the operator's addresses take. What a text may hold is the nouns' to say: they say it in words. */

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001F\\u007F]*$";

export const OrganizationName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 1000,
  description: "An organization's id or exact name.",
  examples: ["Acme"],
});
export const KeyName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "A key's id or prefix; for a v1 key its id.",
  examples: ["dbd_4fT9xQ2a"],
});
export const FamilyName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "The family's name.",
  examples: ["vpn_ip"],
});
export const Moment = Type.String({
  maxLength: 50,
  description: "An RFC 3339 date-time, or a date for its first instant in UTC.",
  examples: ["2027-01-31T12:00:00Z"],
});
const End = Type.Union([Moment, Type.Null()], { description: "When it ends, like 2027-01-31T12:00:00Z; null: never." });
const Scopes = Type.Array(Type.Enum([...SCOPES]), { maxItems: 16, description: "All that it may do; none: nothing." });
const Cidrs = Type.Array(Type.String({ maxLength: 49, examples: ["192.0.2.0/24"] }), {
  maxItems: 100,
  description: "All places where it may be used from; none: from anywhere.",
});
const Line = Type.String({ maxLength: 1000, description: "One line of text." });
const KeyTitle = Type.String({
  maxLength: 1000,
  description: `What it is for: 1 to ${KEY_NAME_MAX_LENGTH} characters.`,
});

export const AddOrganizationRequest = closedObject("AddOrganizationRequest", "The organization to add.", {
  name: Line,
});
export type AddOrganizationRequest = Static<typeof AddOrganizationRequest>;

export const AddFamilyRequest = closedObject("AddFamilyRequest", "The family to add.", {
  base: FamilyName,
  name: Type.String({ ...Line, description: "The name to display." }),
  visibility: Type.Optional(
    Type.Enum(["public", "private"], {
      default: "public",
      description: "`private`: shown only to those who hold, or held, a licence for it.",
    }),
  ),
});
export type AddFamilyRequest = Static<typeof AddFamilyRequest>;

export const AddVersionRequest = closedObject("AddVersionRequest", "The version to add to its family.", {
  id: DatabaseId,
  summary: Type.String({ ...Line, description: "One line on what it contains." }),
  formats: Type.Array(Format, { maxItems: 16, description: "The formats that it is built in, at least one." }),
});
export type AddVersionRequest = Static<typeof AddVersionRequest>;

export const GrantLicenceRequest = closedObject("GrantLicenceRequest", "The licence to grant.", {
  org: OrganizationName,
  base: FamilyName,
  redistribution: Type.Enum([...REDISTRIBUTIONS], { description: "What the customer may do with the data." }),
  starts: Type.Optional(Type.String({ ...Moment, description: "When it begins; left out: now." })),
  expires: Type.Optional(End),
});
export type GrantLicenceRequest = Static<typeof GrantLicenceRequest>;

export const RenewLicenceRequest = closedObject("RenewLicenceRequest", "The licence's new end.", { expires: End });
export type RenewLicenceRequest = Static<typeof RenewLicenceRequest>;

export const OperatorCreateKeyRequest = closedObject("OperatorCreateKeyRequest", "The key to create.", {
  name: KeyTitle,
  org: Type.Optional(
    Type.String({
      ...OrganizationName,
      description: "Whose key it is, by id or exact name; left out: the operator's.",
    }),
  ),
  allowed_scopes: Type.Optional(Scopes),
  allowed_cidrs: Type.Optional(Cidrs),
  expires: Type.Optional(End),
});
export type OperatorCreateKeyRequest = Static<typeof OperatorCreateKeyRequest>;

export const OperatorUpdateKeyRequest = closedObject(
  "OperatorUpdateKeyRequest",
  "What to change; what is left out stays as it is.",
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
  "How to change over to the new secret; left out: at once.",
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
);
export type OperatorRotateKeyRequest = Static<typeof OperatorRotateKeyRequest>;

export const CreateLegacyKeyRequest = closedObject("CreateLegacyKeyRequest", "The v1 key to create.", {
  name: KeyTitle,
  database_ids: Type.Array(DatabaseId, { maxItems: 1000, description: "The ids that it may fetch, at least one." }),
  org: Type.Optional(
    Type.String({ ...OrganizationName, description: "Whose history its downloads are shown in; left out: nobody's." }),
  ),
  uuid: Type.Optional(
    Type.String({ maxLength: 50, description: "An existing key to bring over; left out: a new one is made." }),
  ),
});
export type CreateLegacyKeyRequest = Static<typeof CreateLegacyKeyRequest>;

export const PublishBuildRequest = closedObject("PublishBuildRequest", "How to publish; it may be left out.", {
  force: Type.Optional(
    Type.Boolean({
      default: false,
      description: "Also if it is older than the current build, or its rows or bytes are off by more than half.",
    }),
  ),
  keep: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "Keep so many builds of this version and let go of older ones; left out: all.",
    }),
  ),
});
export type PublishBuildRequest = Static<typeof PublishBuildRequest>;

export const RollBackRequest = closedObject("RollBackRequest", "Where to go back to; it may be left out.", {
  to: Type.Optional(
    Type.String({ format: "uuid", description: "The build; left out: the one that was current before." }),
  ),
});
export type RollBackRequest = Static<typeof RollBackRequest>;
