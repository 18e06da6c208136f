import Type, { type Static } from "typebox";
import { closedObject } from "../shared/closed-object.ts";
import { DatabaseId } from "../shared/database-id.ts";
import { byFileKind, Format } from "../shared/formats.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";
import { Checksums } from "../v2/checksums.ts";
import { Download } from "../v2/downloads.ts";

/** Resources as operators see them, in /api/operator responses and `dbdepot-server … --json`. */

export const APIS = ["v1", "v2"] as const;

const Time = Type.String({ format: "date-time" });
const OrganizationId = Type.String({ description: "Organization id." });
const OrganizationIdOrNull = Type.Union([Type.String(), Type.Null()], {
  description: "Organization id, or null without an organization.",
});
const Base = Type.String({ description: "Family name.", examples: ["vpn_ip"] });
const Created = Type.String({ format: "date-time", description: "Creation time." });
const LastUsed = timeOrNull("When the key was last used, to within a minute, or null if it was never used.");
const Archived = timeOrNull("When it was archived, or null. Customers can neither see nor download what is archived.");
const Revoked = timeOrNull("When the key was revoked, or null if it was not.");

function timeOrNull(description: string) {
  return Type.Union([Time, Type.Null()], { description });
}

function textOrNull(description: string) {
  return Type.Union([Type.String(), Type.Null()], { description });
}

export const OperatorOrganization = closedObject(
  "OperatorOrganization",
  "An organization: the holder of licences and keys.",
  {
    id: Type.String(),
    account_id: Type.Integer({ description: "The organization as a number, for the `AccountID` of geoipupdate." }),
    name: Type.String({ description: "Unique name. Accepted wherever an organization id is." }),
    created: Created,
    archived: timeOrNull("When it was archived, or null. The keys of an archived organization are refused."),
  },
);
export type OperatorOrganization = Static<typeof OperatorOrganization>;

export const OperatorFamily = closedObject("OperatorFamily", "A database family. Licences are granted per family.", {
  base: Base,
  name: Type.String({ description: "Display name." }),
  visibility: Type.Enum(["public", "private"], {
    description: "`private` families are visible only to organizations that hold or held a licence.",
  }),
  created: Created,
  archived: Archived,
  open: Type.Boolean({
    description: "Whether every key with the scope `db.download` can download it without a licence.",
  }),
});
export type OperatorFamily = Static<typeof OperatorFamily>;

export const OperatorVersion = closedObject("OperatorVersion", "A frozen, numbered version of a family.", {
  id: DatabaseId,
  base: Base,
  version: Type.Integer({ description: "Version number." }),
  summary: Type.String({ description: "One line on what this version contains." }),
  formats: Type.Array(Format, { description: "Formats this version is built in." }),
  current_build_id: textOrNull("The current build, or null if none is published."),
  created: Created,
  archived: Archived,
});
export type OperatorVersion = Static<typeof OperatorVersion>;

const OperatorBuildFile = closedObject("OperatorBuildFile", "A completely uploaded file of a build.", {
  size_bytes: Type.Integer({ format: "int64" }),
  checksums: Checksums,
});

export const OperatorBuild = closedObject("OperatorBuild", "One immutable build of a version.", {
  id: Type.String(),
  version_id: DatabaseId,
  state: Type.Enum(["staged", "published", "withdrawn", "removed"], {
    description:
      "`staged`: not published yet. `published`: is or was the current build. `withdrawn`: can no longer be downloaded. `removed`: its files have been deleted.",
  }),
  current: Type.Boolean({ description: "Whether this is the current build." }),
  updated: Type.String({ description: "The date it was generated, from its metadata." }),
  entries: Type.Integer({ format: "int64", description: "Number of rows, from its metadata." }),
  files: byFileKind(OperatorBuildFile, "Completely uploaded files: one in each format, and samples."),
  created: Created,
  published: timeOrNull("When it was published, or null if it was not."),
  withdrawn: timeOrNull("When it was withdrawn, or null if it was not."),
});
export type OperatorBuild = Static<typeof OperatorBuild>;

export const ListedVersion = closedObject("ListedVersion", "A version and its current build.", {
  ...OperatorVersion.properties,
  current_build: Type.Union([OperatorBuild, Type.Null()], {
    description: "The current build, or null if none is published.",
  }),
  update_freq: textOrNull("How often a new build is published, from the metadata of the current build, or null."),
  overdue: Type.Boolean({
    description:
      "Whether the next build is late, judging by `update_freq` (for example `daily` or `every 6 hours`). False if it names no interval, or if the version is archived.",
  }),
  planned: Type.Boolean({
    description:
      "Whether the version has had no build yet. Customers do not see it in the list before its first build.",
  }),
});
export type ListedVersion = Static<typeof ListedVersion>;

export const ListedBuild = closedObject("ListedBuild", "A build, who published it, and what it followed.", {
  ...OperatorBuild.properties,
  previous_build_id: textOrNull("The build that was current when this one was created, or null if there was none."),
  published_by: textOrNull(
    "`command:<user>` for the CLI, `key:<prefix>` for the API, `account:<email>` for the console, or null if it was not published.",
  ),
});
export type ListedBuild = Static<typeof ListedBuild>;

export const OperatorLicence = closedObject("OperatorLicence", "An organization's licence for a family.", {
  id: Type.String(),
  organization_id: OrganizationId,
  base: Base,
  redistribution: Type.Enum([...REDISTRIBUTIONS], {
    description: "What the licence allows the customer to do with the data.",
  }),
  starts: Time,
  expires: timeOrNull("When the licence ends, or null if it has no end date."),
  state: Type.Enum(["live", "upcoming", "ended"], { description: "Current state." }),
  created: Created,
  renews_at: timeOrNull(
    "The date on which the contract renews automatically, or null. It does not extend the licence.",
  ),
  notice_due_at: timeOrNull("Until when notice can be given so that the contract does not renew, or null."),
});
export type OperatorLicence = Static<typeof OperatorLicence>;

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
});
export type ListedKey = Static<typeof ListedKey>;

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

/** Later fields come last, because the CSV export has the columns in this order. */
const { open, sample, ...firstColumns } = Download.properties;

export const OperatorAttempt = closedObject(
  "OperatorAttempt",
  "One download attempt, with the organization and the exact cause of a refusal.",
  {
    id: Type.String(),
    api: Type.Enum([...APIS]),
    organization_id: OrganizationIdOrNull,
    ...firstColumns,
    cause: textOrNull("Exact cause of the refusal, or null if it was granted."),
    build_id: textOrNull("The build that was served, or null if the attempt was refused."),
    open,
    sample,
  },
);
export type OperatorAttempt = Static<typeof OperatorAttempt>;

export const AuditEntry = closedObject("AuditEntry", "One change: who made it, and the state before and after.", {
  id: Type.String(),
  actor: Type.String({
    description: "`command:<user>` for the CLI, `key:<prefix>` for the API, `account:<email>` for the console.",
  }),
  action: Type.String({ examples: ["licence.granted"] }),
  subject: Type.String({ description: "Id of the changed resource." }),
  before: Type.Unknown({ description: "State before the change, or null if the resource is new." }),
  after: Type.Unknown({ description: "State after the change." }),
  created: Created,
});
export type AuditEntry = Static<typeof AuditEntry>;
