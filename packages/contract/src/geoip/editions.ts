import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";

/** The protocol of MaxMind's updater `geoipupdate`. Its "edition ids" are our database ids. */

/** More ids in one request are refused. */
export const EDITIONS_MAX = 100;

export const GeoipMetadataQuery = Type.Object({
  edition_id: Type.Union([DatabaseId, Type.Array(DatabaseId, { maxItems: EDITIONS_MAX })], {
    description: "A database id. Repeat the parameter for several.",
  }),
});

export const GeoipDownloadQuery = Type.Object({
  date: Type.Optional(
    Type.String({
      pattern: "^\\d{8}$",
      description: "The build's date from the metadata, as YYYYMMDD (default: the current build).",
      examples: ["20261101"],
    }),
  ),
  suffix: Type.Literal("tar.gz", { description: "The type of the file. Only `tar.gz` is available." }),
});

export const GeoipUpdateQuery = Type.Object({
  db_md5: Type.Optional(
    Type.String({
      description: "The MD5 of the MMDB file that the client has. The response is 304 if it is still current.",
      examples: ["00000000000000000000000000000000"],
    }),
  ),
});

export const GeoipMetadata = Type.Object(
  {
    databases: Type.Array(
      Type.Object(
        {
          edition_id: DatabaseId,
          md5: Type.String({ description: "MD5 of the MMDB file, in hex." }),
          date: Type.String({ format: "date", description: "The date of the current build." }),
        },
        { additionalProperties: false },
      ),
      { description: "Those of the requested databases that you may download." },
    ),
  },
  {
    title: "GeoipMetadata",
    additionalProperties: false,
    description: "The current builds of databases, as geoipupdate expects them.",
  },
);
export type GeoipMetadata = Static<typeof GeoipMetadata>;

/** geoipupdate prints the body of an error, so it has a sentence for people. */
export const GeoipError = Type.Object(
  {
    rc: Type.String({
      description: "A machine-readable error code. Clients must tolerate unknown codes.",
      examples: ["NOT_LICENSED"],
    }),
    error: Type.String({ description: "What is wrong and what to do, in a sentence." }),
  },
  {
    title: "GeoipError",
    additionalProperties: false,
    description: "An error, with a sentence that geoipupdate prints.",
  },
);
export type GeoipError = Static<typeof GeoipError>;
