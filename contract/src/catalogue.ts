import Type, { type Static } from "typebox";
import { DatabaseId } from "./database-id.ts";
import { Format } from "./formats.ts";

export const STANDINGS = ["licensed", "expired", "unlicensed"] as const;
export type Standing = (typeof STANDINGS)[number];

export const REDISTRIBUTIONS = ["evaluation", "internal", "redistribute"] as const;
export type Redistribution = (typeof REDISTRIBUTIONS)[number];

export function isRedistribution(value: unknown): value is Redistribution {
  return REDISTRIBUTIONS.includes(value as Redistribution);
}

export const DatabaseVersion = Type.Object(
  {
    id: DatabaseId,
    version: Type.Integer({ minimum: 1, description: "The version's number." }),
    summary: Type.String({ description: "One line on what this version contains." }),
    formats: Type.Array(Format, { minItems: 1, description: "The formats that this version is built in." }),
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
    base: Type.String({ description: "The family's name; a licence is held against it.", examples: ["vpn_ip"] }),
    name: Type.String({ description: "The name to display." }),
    summary: Type.String({ description: "One line on what the newest version contains." }),
    standing: Type.Enum([...STANDINGS], {
      description:
        "How your organization stands with this family: `licensed` may download, `expired` must renew, `unlicensed` must buy.",
    }),
    redistribution: Type.Union([Type.Enum([...REDISTRIBUTIONS]), Type.Null()], {
      description: "What the licence lets you do with the data; null without a licence.",
    }),
    starts: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the licence begins; null without a licence.",
    }),
    expires: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
      description: "When the licence ends; null when it has no end, or without a licence.",
    }),
    versions: Type.Array(DatabaseVersion, { description: "Every published version, oldest first." }),
  },
  {
    title: "Database",
    additionalProperties: false,
    description: "A database family, with your organization's standing.",
  },
);
export type Database = Static<typeof Database>;

export const DatabaseList = Type.Object(
  { databases: Type.Array(Database, { description: "The whole catalogue, in order of `base`." }) },
  { title: "DatabaseList", additionalProperties: false, description: "The catalogue, as your organization sees it." },
);
export type DatabaseList = Static<typeof DatabaseList>;
