import Type, { type Static } from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";
import { Checksums } from "../v2/checksums.ts";
import { Count, IsoDate } from "../v2/metadata.ts";

/** The v1 API, which describes one published file at a time. */

export const LegacyFileQuery = Type.Object({ id: DatabaseId, format: Format });

export const LegacyChecksums = Type.Object(
  { rc: Type.Literal("SUCCESS"), data: Checksums },
  { title: "LegacyChecksums", additionalProperties: false, description: "v1: digests of the published file." },
);
export type LegacyChecksums = Static<typeof LegacyChecksums>;

export const LegacyMetadataQuery = Type.Object({ id: DatabaseId });

export const LegacyMetadata = Type.Object(
  {
    rc: Type.Literal("SUCCESS"),
    data: Type.Object(
      {
        updated: IsoDate,
        entries: Type.Integer({
          ...Count,
          description: "Number of data rows in the build, excluding the CSV header.",
        }),
        size: Type.Object(
          { csvgz: Count, mmdb: Type.Optional(Count) },
          {
            additionalProperties: false,
            description: "File size in bytes by format. `mmdb` is omitted if the database has no MMDB build.",
          },
        ),
      },
      {
        title: "LegacyMetadataData",
        additionalProperties: false,
        description: "v1: date, row count and sizes of the build.",
      },
    ),
  },
  { title: "LegacyMetadata", additionalProperties: false, description: "v1: metadata of the published build." },
);
export type LegacyMetadata = Static<typeof LegacyMetadata>;
