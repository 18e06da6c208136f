import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";

export const STANDINGS = ["licensed", "expired", "unlicensed"] as const;
export type Standing = (typeof STANDINGS)[number];

export const REDISTRIBUTIONS = ["evaluation", "internal", "redistribute"] as const;
export type Redistribution = (typeof REDISTRIBUTIONS)[number];

export function isRedistribution(value: unknown): value is Redistribution {
  return REDISTRIBUTIONS.includes(value as Redistribution);
}

const LICENSE_TYPES = ["evaluation", "standard", "redistribute"] as const;
type LicenseType = (typeof LICENSE_TYPES)[number];

/** `license_type` carries the same information as `redistribution`, under different names. */
export function licenseTypeOf(redistribution: Redistribution): LicenseType {
  return redistribution === "internal" ? "standard" : redistribution;
}

export const DatabaseVersion = Type.Object(
  {
    id: DatabaseId,
    version: Type.Integer({ minimum: 1, description: "Version number." }),
    summary: Type.String({ description: "One line on what this version contains." }),
    formats: Type.Array(Format, { minItems: 1, description: "Formats this version is built in." }),
    sample_formats: Type.Array(Format, {
      description:
        "Formats in which the current build has a sample. Samples need no licence: download them with `sample=true`.",
    }),
  },
  {
    title: "DatabaseVersion",
    additionalProperties: false,
    description: "A frozen, numbered version of a database family.",
  },
);
export type DatabaseVersion = Static<typeof DatabaseVersion>;

export const Database = Type.Object(
  {
    base: Type.String({ description: "Family name. Licences are granted per family.", examples: ["vpn_ip"] }),
    name: Type.String({ description: "Display name." }),
    summary: Type.String({ description: "One line on what the newest version contains." }),
    standing: Type.Enum([...STANDINGS], {
      description:
        "Your organization's licence standing: `licensed`, `expired` (renew to download) or `unlicensed` (buy to download). You need no licence if the database is `open`.",
    }),
    redistribution: Type.Union([Type.Enum([...REDISTRIBUTIONS]), Type.Null()], {
      description: "What the licence allows you to do with the data, or null without a licence.",
    }),
    starts: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the licence starts, or null without a licence.",
    }),
    expires: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the licence ends, or null if it has no end date or there is no licence.",
    }),
    versions: Type.Array(DatabaseVersion, { description: "Every published version, oldest first." }),
    license_type: Type.Union([Type.Enum([...LICENSE_TYPES]), Type.Null()], {
      description: "The same as `redistribution`, with `standard` for `internal`.",
    }),
    renews_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description:
        "The date on which your contract renews automatically. Null if you have no licence or the vendor has not set a date. It does not extend the licence.",
    }),
    notice_due_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description:
        "The last date on which you can cancel before the contract renews. Null if you have no licence or the vendor has not set a date.",
    }),
    open: Type.Boolean({
      description: "Whether every key with the scope `db.download` can download it, whatever its `standing`.",
    }),
    terms_to_accept: Type.Union([Type.String({ examples: ["data-licence@2"] }), Type.Null()], {
      description:
        "The terms that an admin of your organization must accept in the console before you can download, or null. Until then, downloads get 403 `TERMS_NOT_ACCEPTED`.",
    }),
  },
  {
    title: "Database",
    additionalProperties: false,
    description: "A database family with your organization's licence standing.",
  },
);
export type Database = Static<typeof Database>;

export const DatabaseList = Type.Object(
  { databases: Type.Array(Database, { description: "The entire catalogue, ordered by `base`." }) },
  { title: "DatabaseList", additionalProperties: false, description: "The catalogue as your organization sees it." },
);
export type DatabaseList = Static<typeof DatabaseList>;
