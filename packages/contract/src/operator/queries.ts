import Type, { type Static, type TProperties } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";
import { REDISTRIBUTIONS } from "../v2/catalogue.ts";
import { OUTCOMES } from "../v2/downloads.ts";
import { FamilyName, KeyName, Moment, OrganizationName } from "./requests.ts";
import { APIS } from "./resources.ts";

/** Query parameters of the operator API. Unknown parameters are refused because a mistyped filter would return everything. */

export const PAGE_LIMIT = { minimum: 1, default: 100, maximum: 1000 } as const;

const page = {
  limit: Type.Optional(Type.Integer({ ...PAGE_LIMIT, description: "Page size." })),
  cursor: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]*$",
      maxLength: 2000,
      description: "Start of the next page, taken from the `Link` header.",
    }),
  ),
};
const org = Type.Optional(
  Type.String({ ...OrganizationName, description: "Only this organization, by id or exact name." }),
);

const RequestId = {
  minLength: 1,
  maxLength: 100,
  pattern: "^[^\\u0000]*$",
  examples: ["019a8b02-5c11-7e0a-9d43-1f2e3d4c5b6a"],
};

function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export const NoQuery = closed({});

export const PageQuery = closed(page);
export type PageQuery = Static<typeof PageQuery>;

export const VersionsQuery = closed({
  base: Type.Optional(Type.String({ ...FamilyName, description: "Only this family." })),
});
export type VersionsQuery = Static<typeof VersionsQuery>;

export const LicencesQuery = closed({
  org,
  base: Type.Optional(Type.String({ ...FamilyName, description: "Only this family." })),
  redistribution: Type.Optional(Type.Enum([...REDISTRIBUTIONS], { description: "Only licences of this kind." })),
  ends_before: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only current and future licences that end before this time, for example 2027-01-31.",
    }),
  ),
  ...page,
});
export type LicencesQuery = Static<typeof LicencesQuery>;

export const KeysQuery = closed({ org, ...page });
export type KeysQuery = Static<typeof KeysQuery>;

export const HistoryQuery = closed({
  org,
  key: Type.Optional(Type.String({ ...KeyName, description: "Only this key, by id or prefix (v1 keys by id)." })),
  database: Type.Optional(
    Type.String({ ...FamilyName, description: "Only this requested database id.", examples: ["vpn_ip_v1"] }),
  ),
  request: Type.Optional(
    Type.String({ ...RequestId, description: "Only the request with this id, from `X-Request-Id`." }),
  ),
  outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: "Only this outcome." })),
  api: Type.Optional(Type.Enum([...APIS], { description: "Only this API version." })),
  sample: Type.Optional(Type.Boolean({ description: "Only samples, or only full files." })),
  since: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only attempts at or after this time, for example 2027-01-31 or 2027-01-31T12:00:00Z.",
    }),
  ),
  until: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only attempts before this time, for example 2027-02-28 or 2027-02-28T12:00:00Z.",
    }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns all matching attempts as one file, as does `Accept: text/csv`.",
    }),
  ),
  ...page,
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const AuditQuery = closed({
  subject: Type.Optional(
    Type.String({
      ...OrganizationName,
      description:
        "Only changes to this organization, family, version, build, licence or key, by id. Organizations also by exact name, keys by prefix.",
      examples: ["vpn_ip"],
    }),
  ),
  actor: Type.Optional(
    Type.String({
      ...OrganizationName,
      description:
        "Only changes by this actor: `command:<user>`, `key:<prefix>` or `account:<email>`, exactly as in the log.",
      examples: ["account:ada@example.com"],
    }),
  ),
  action: Type.Optional(
    Type.String({
      ...FamilyName,
      description: "Only this action, such as `licence.granted`, or all actions on one noun, such as `licence`.",
      examples: ["licence"],
    }),
  ),
  since: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only changes at or after this time, for example 2027-01-31 or 2027-01-31T12:00:00Z.",
    }),
  ),
  until: Type.Optional(
    Type.String({
      ...Moment,
      description: "Only changes before this time, for example 2027-02-28 or 2027-02-28T12:00:00Z.",
    }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv` returns all matching changes as one file, as does `Accept: text/csv`.",
    }),
  ),
  ...page,
});
export type AuditQuery = Static<typeof AuditQuery>;

export const WhyQuery = closed({
  org: Type.Optional(OrganizationName),
  id: Type.Optional(
    Type.String({
      ...FamilyName,
      maxLength: 1000,
      description: "The database id the customer requests, valid or not.",
      examples: ["vpn_ip_v1"],
    }),
  ),
  request: Type.Optional(
    Type.String({
      ...RequestId,
      description: "The id of a download request, from `X-Request-Id`. It replaces all other parameters.",
    }),
  ),
  format: Type.Optional(Format),
  sample: Type.Optional(
    Type.Boolean({ default: false, description: "Whether the customer requests a sample instead of the full file." }),
  ),
  key: Type.Optional(Type.String({ ...KeyName, description: "The customer's key, by id or prefix." })),
});
export type WhyQuery = Static<typeof WhyQuery>;

export const BuildsQuery = closed({ version: DatabaseId });
export type BuildsQuery = Static<typeof BuildsQuery>;

export const BuildListQuery = closed({ version: DatabaseId, ...page });
export type BuildListQuery = Static<typeof BuildListQuery>;

export const UploadQuery = closed({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: "Number of bytes received so far. The body is the rest of the file.",
    }),
  ),
});
export type UploadQuery = Static<typeof UploadQuery>;
