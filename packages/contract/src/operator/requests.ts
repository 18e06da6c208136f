import Type, { type Static } from "typebox";
import { KEY_NAME_MAX_LENGTH, OVERLAP_MAX_SECONDS } from "../iam/keys.ts";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";
import { SCOPES } from "../shared/scopes.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";

/** Request bodies of the operator API. The domain code validates text fields further, with readable messages. */

const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001F\\u007F]*$";

export const OrganizationName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 1000,
  description: "Organization id or exact name.",
  examples: ["Acme"],
});
export const KeyName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "Key id or prefix (v1 keys by id).",
  examples: ["dbd_4fT9xQ2a"],
});
export const FamilyName = Type.String({
  pattern: NO_CONTROL_CHARACTERS,
  maxLength: 100,
  description: "Family name.",
  examples: ["vpn_ip"],
});
export const Moment = Type.String({
  maxLength: 50,
  description: "An RFC 3339 date-time, or a date (midnight UTC).",
  examples: ["2027-01-31T12:00:00Z"],
});
const End = Type.Union([Moment, Type.Null()], {
  description: "End time, for example 2027-01-31T12:00:00Z, or null for no end.",
});
const Scopes = Type.Array(Type.Enum([...SCOPES]), {
  maxItems: 16,
  description: "Scopes of the key. Empty means no access.",
});
const Cidrs = Type.Array(Type.String({ maxLength: 49, examples: ["192.0.2.0/24"] }), {
  maxItems: 100,
  description: "Networks the key may be used from. Empty means anywhere.",
});
const Line = Type.String({ maxLength: 1000, description: "A single line of text." });
const KeyTitle = Type.String({
  maxLength: 1000,
  description: `Display name, 1 to ${KEY_NAME_MAX_LENGTH} characters.`,
});

export const AddOrganizationRequest = closedObject("AddOrganizationRequest", "The organization to add.", {
  name: Line,
});
export type AddOrganizationRequest = Static<typeof AddOrganizationRequest>;

const UpdatedFields = "Fields to change. Omitted fields keep their values.";

export const UpdateOrganizationRequest = closedObject("UpdateOrganizationRequest", UpdatedFields, {
  name: Type.Optional(Line),
  archived: Type.Optional(Type.Boolean({ description: "Whether its keys are refused." })),
});
export type UpdateOrganizationRequest = Static<typeof UpdateOrganizationRequest>;

const ArchivedFlag = Type.Optional(
  Type.Boolean({ description: "Whether it is hidden from customers and can't be downloaded." }),
);

const Open = Type.Boolean({
  description:
    "Whether every key with the scope `db.download` can download it without a licence. Not for `private` families.",
});

export const UpdateFamilyRequest = closedObject("UpdateFamilyRequest", UpdatedFields, {
  name: Type.Optional(Type.String({ ...Line, description: "Display name." })),
  visibility: Type.Optional(
    Type.Enum(["public", "private"], {
      description: "`private` families are visible only to organizations that hold or held a licence.",
    }),
  ),
  archived: ArchivedFlag,
  open: Type.Optional(Open),
});
export type UpdateFamilyRequest = Static<typeof UpdateFamilyRequest>;

export const UpdateVersionRequest = closedObject("UpdateVersionRequest", UpdatedFields, {
  summary: Type.Optional(Type.String({ ...Line, description: "One line on what this version contains." })),
  archived: ArchivedFlag,
});
export type UpdateVersionRequest = Static<typeof UpdateVersionRequest>;

export const AddFamilyRequest = closedObject("AddFamilyRequest", "The family to add.", {
  base: FamilyName,
  name: Type.String({ ...Line, description: "Display name." }),
  visibility: Type.Optional(
    Type.Enum(["public", "private"], {
      default: "public",
      description: "`private` families are visible only to organizations that hold or held a licence.",
    }),
  ),
  open: Type.Optional(Type.Boolean({ ...Open, default: false })),
});
export type AddFamilyRequest = Static<typeof AddFamilyRequest>;

export const AddVersionRequest = closedObject("AddVersionRequest", "The version to add.", {
  id: DatabaseId,
  summary: Type.String({ ...Line, description: "One line on what this version contains." }),
  formats: Type.Array(Format, { maxItems: 16, description: "Formats this version is built in, at least one." }),
});
export type AddVersionRequest = Static<typeof AddVersionRequest>;

const RenewsAt = Type.Union([Moment, Type.Null()], {
  description: "The date on which the contract renews automatically, or null. It does not extend the licence.",
});
const NoticeDueAt = Type.Union([Moment, Type.Null()], {
  description: "The last date on which notice can be given to prevent the renewal, or null. Not after `renews_at`.",
});

export const GrantLicenceRequest = closedObject("GrantLicenceRequest", "The licence to grant.", {
  org: OrganizationName,
  base: FamilyName,
  redistribution: Type.Enum([...REDISTRIBUTIONS], {
    description: "What the licence allows the customer to do with the data.",
  }),
  starts: Type.Optional(Type.String({ ...Moment, description: "Start time (default: now)." })),
  expires: Type.Optional(
    Type.Union(End.anyOf, {
      description:
        "End time, or null for no end (default: no end; for an evaluation, the configured number of days, normally 30).",
    }),
  ),
  renews_at: Type.Optional(RenewsAt),
  notice_due_at: Type.Optional(NoticeDueAt),
});
export type GrantLicenceRequest = Static<typeof GrantLicenceRequest>;

export const RenewLicenceRequest = closedObject(
  "RenewLicenceRequest",
  "The dates to change, at least one. Omitted dates stay as they are.",
  { expires: Type.Optional(End), renews_at: Type.Optional(RenewsAt), notice_due_at: Type.Optional(NoticeDueAt) },
);
export type RenewLicenceRequest = Static<typeof RenewLicenceRequest>;

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

export const PublishBuildRequest = closedObject("PublishBuildRequest", "Publish options. The body is optional.", {
  force: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Publish even if the build is older than the current one, its row count or size differs by more than half, its columns differ, or its files are identical.",
    }),
  ),
  keep: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: "Number of builds of this version to keep. Older ones are deleted (default: keep all).",
    }),
  ),
});
export type PublishBuildRequest = Static<typeof PublishBuildRequest>;

export const RollBackRequest = closedObject("RollBackRequest", "Rollback options. The body is optional.", {
  to: Type.Optional(
    Type.String({ format: "uuid", description: "The build to restore (default: the previously current one)." }),
  ),
});
export type RollBackRequest = Static<typeof RollBackRequest>;
