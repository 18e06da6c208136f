import Type, { type Static } from "typebox";
import { REDISTRIBUTIONS } from "./catalogue.ts";
import { Checksums } from "./checksums.ts";
import { DatabaseId } from "./database-id.ts";
import { Download } from "./downloads.ts";
import { byFormat, Format } from "./formats.ts";
import { closedObject } from "./operator-object.ts";

/** What the operator sees: printed by `dbdepot-server … --json`, answered by /api/operator. */

export const APIS = ["v1", "v2"] as const;

const Time = Type.String({ format: "date-time" });
const OrganizationId = Type.String({ description: "The organization's id." });
const OrganizationIdOrNull = Type.Union([Type.String(), Type.Null()], {
  description: "The organization's id; null when it is nobody's.",
});
const Base = Type.String({ description: "The family's name.", examples: ["vpn_ip"] });
const Created = Type.String({ format: "date-time", description: "When it was made." });
const LastUsed = timeOrNull("When it was last used, to within a minute; null when it never was.");
const Revoked = timeOrNull("When it was revoked; null while it was not.");

function timeOrNull(description: string) {
  return Type.Union([Time, Type.Null()], { description });
}

function textOrNull(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description });
}

export const OperatorOrganization = closedObject("OperatorOrganization", "Who holds licences and keys.", {
  id: Type.String(),
  name: Type.String({ description: "Unique: an organization can be named by it, too." }),
  created: Created,
});
export type OperatorOrganization = Static<typeof OperatorOrganization>;

export const OperatorFamily = closedObject("OperatorFamily", "A database family: what a licence is held against.", {
  base: Base,
  name: Type.String({ description: "The name to display." }),
  visibility: Type.Enum(["public", "private"], {
    description: "`private` families are shown only to those who hold, or held, a licence for them.",
  }),
  created: Created,
});
export type OperatorFamily = Static<typeof OperatorFamily>;

export const OperatorVersion = closedObject("OperatorVersion", "A frozen, numbered version of a family.", {
  id: DatabaseId,
  base: Base,
  version: Type.Integer({ description: "The version's number." }),
  summary: Type.String({ description: "One line on what this version contains." }),
  formats: Type.Array(Format, { description: "The formats that it is built in." }),
  current_build_id: textOrNull("The build that is handed out now; null while none is published."),
  created: Created,
});
export type OperatorVersion = Static<typeof OperatorVersion>;

const OperatorBuildFile = closedObject("OperatorBuildFile", "A file of a build that has arrived whole.", {
  size_bytes: Type.Integer({ format: "int64" }),
  checksums: Checksums,
});

export const OperatorBuild = closedObject("OperatorBuild", "One immutable publication of a version.", {
  id: Type.String(),
  version_id: DatabaseId,
  state: Type.Enum(["staged", "published", "withdrawn", "removed"], {
    description:
      "`staged`: its files may still arrive. `published`: it is, or was, handed out. `withdrawn`: it never will be again. `removed`: its files are gone.",
  }),
  current: Type.Boolean({ description: "This is the build that is handed out now." }),
  updated: Type.String({ description: "The day on which it was generated, from its document." }),
  entries: Type.Integer({ format: "int64", description: "How many rows it has, from its document." }),
  files: byFormat(OperatorBuildFile, "The files that have arrived."),
  created: Created,
  published: timeOrNull("When it was published; null while it was not."),
  withdrawn: timeOrNull("When it was withdrawn; null while it was not."),
});
export type OperatorBuild = Static<typeof OperatorBuild>;

export const OperatorLicence = closedObject("OperatorLicence", "An organization's grant for a family.", {
  id: Type.String(),
  organization_id: OrganizationId,
  base: Base,
  redistribution: Type.Enum([...REDISTRIBUTIONS], { description: "What the customer may do with the data." }),
  starts: Time,
  expires: timeOrNull("When it ends; null when it has no end."),
  state: Type.Enum(["live", "upcoming", "ended"], { description: "How it stands now." }),
  created: Created,
});
export type OperatorLicence = Static<typeof OperatorLicence>;

export const OperatorKey = closedObject("OperatorKey", "A key, never with its secret.", {
  id: Type.String(),
  organization_id: OrganizationIdOrNull,
  name: Type.String(),
  key_prefix: Type.String({ description: "The part of the key that is no secret." }),
  allowed_scopes: Type.Array(Type.String(), { description: "What it may do; none: nothing." }),
  allowed_cidrs: Type.Array(Type.String(), { description: "Where it may be used from; none: from anywhere." }),
  expires: timeOrNull("When it stops working; null for never."),
  created: Created,
  last_used: LastUsed,
  revoked: Revoked,
});
export type OperatorKey = Static<typeof OperatorKey>;

export const OperatorLegacyKey = closedObject("OperatorLegacyKey", "A v1 key, never with its UUID.", {
  id: Type.String({ description: "Names the key; it is not the UUID that opens v1." }),
  organization_id: OrganizationIdOrNull,
  name: Type.String(),
  database_ids: Type.Array(Type.String(), { description: "The ids that it may fetch." }),
  created: Created,
  last_used: LastUsed,
  revoked: Revoked,
});
export type OperatorLegacyKey = Static<typeof OperatorLegacyKey>;

export const OperatorAttempt = closedObject("OperatorAttempt", "One attempt to download: who and why, too.", {
  id: Type.String(),
  api: Type.Enum([...APIS]),
  organization_id: OrganizationIdOrNull,
  ...Download.properties,
  cause: textOrNull("Why exactly it was refused; null when it was not."),
  build_id: textOrNull("The build that was handed out; null for a refusal."),
});
export type OperatorAttempt = Static<typeof OperatorAttempt>;

export const AuditEntry = closedObject("AuditEntry", "Who changed what, and how it looked before and after.", {
  id: Type.String(),
  actor: Type.String({ description: "`command:<user>` on the server's machine, `key:<prefix>` over HTTP." }),
  action: Type.String({ examples: ["licence.granted"] }),
  subject: Type.String({ description: "The id of what was changed." }),
  before: Type.Unknown({ description: "Null for what did not exist." }),
  after: Type.Unknown(),
  created: Created,
});
export type AuditEntry = Static<typeof AuditEntry>;
