import Type, { type Static, type TProperties } from "typebox";
import { DatabaseId } from "./database-id.ts";
import { OUTCOMES } from "./downloads.ts";
import { Format } from "./formats.ts";
import { APIS } from "./operator.ts";
import { FamilyName, KeyName, Moment, OrganizationName } from "./operator-requests.ts";

/** The query parameters of the operator's addresses. One that is unknown is refused: a mistyped filter would show everything. */

export const PAGE_LIMIT = { minimum: 1, default: 100, maximum: 1000 } as const;

const page = {
  limit: Type.Optional(Type.Integer({ ...PAGE_LIMIT, description: "How many of them in this answer." })),
  cursor: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9_-]*$",
      maxLength: 2000,
      description: "Where the next page begins, from the `Link` header.",
    }),
  ),
};
const org = Type.Optional(
  Type.String({ ...OrganizationName, description: "Of this organization only, by its id or exact name." }),
);

function closed<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}

export const NoQuery = closed({});

export const PageQuery = closed(page);
export type PageQuery = Static<typeof PageQuery>;

export const VersionsQuery = closed({
  base: Type.Optional(Type.String({ ...FamilyName, description: "Of this family only." })),
});
export type VersionsQuery = Static<typeof VersionsQuery>;

export const LicencesQuery = closed({
  org,
  base: Type.Optional(Type.String({ ...FamilyName, description: "For this family only." })),
  ...page,
});
export type LicencesQuery = Static<typeof LicencesQuery>;

export const KeysQuery = closed({ org, ...page });
export type KeysQuery = Static<typeof KeysQuery>;

export const HistoryQuery = closed({
  org,
  key: Type.Optional(
    Type.String({ ...KeyName, description: "With this key only: its id or prefix; of a v1 key, its id." }),
  ),
  outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: "With this outcome only." })),
  api: Type.Optional(Type.Enum([...APIS], { description: "On this API only." })),
  since: Type.Optional(
    Type.String({ ...Moment, description: "Not older than this, like 2027-01-31 or 2027-01-31T12:00:00Z." }),
  ),
  until: Type.Optional(
    Type.String({ ...Moment, description: "Older than this, like 2027-02-28 or 2027-02-28T12:00:00Z." }),
  ),
  format: Type.Optional(
    Type.Enum(["json", "csv"], {
      default: "json",
      description: "`csv`: all attempts that match, as one file. `Accept: text/csv` asks for the same.",
    }),
  ),
  ...page,
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const AuditQuery = closed({
  subject: Type.Optional(
    Type.String({
      ...OrganizationName,
      description: "Of this organization, family, version, build, licence or key only, by its id.",
      examples: ["vpn_ip"],
    }),
  ),
  ...page,
});
export type AuditQuery = Static<typeof AuditQuery>;

export const WhyQuery = closed({
  org: OrganizationName,
  id: Type.String({
    ...FamilyName,
    maxLength: 1000,
    description: "The id that the customer asks for, whatever it is.",
    examples: ["vpn_ip_v1"],
  }),
  format: Type.Optional(Format),
  key: Type.Optional(Type.String({ ...KeyName, description: "With this key: its id or prefix." })),
});
export type WhyQuery = Static<typeof WhyQuery>;

export const BuildsQuery = closed({ version: DatabaseId });
export type BuildsQuery = Static<typeof BuildsQuery>;

export const UploadQuery = closed({
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: "How many bytes have arrived before: the body is the rest, up to the end of the file.",
    }),
  ),
});
export type UploadQuery = Static<typeof UploadQuery>;
