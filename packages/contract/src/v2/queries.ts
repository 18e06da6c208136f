import Type from "typebox";
import { DatabaseId } from "../shared/database-id.ts";
import { Format } from "../shared/formats.ts";
import { HISTORY_LIMIT } from "./downloads.ts";

/** Query parameters of the customer API. */

const build = Type.Optional(
  Type.String({
    format: "uuid",
    description: "Pins a published build that is still kept, by its `X-Build-Id` (default: the current build).",
    examples: ["019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11"],
  }),
);

export const MetadataQuery = Type.Object({ id: DatabaseId, build });

export const ManifestQuery = Type.Object({
  id: DatabaseId,
  build: Type.Optional({
    ...build,
    description: "Returns the newest manifest about this build (default: about the current build).",
  }),
  sequence: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Returns the manifest at this position of the chain, to check the chain.",
    }),
  ),
  part: Type.Optional(
    Type.Enum(["manifest", "signature"], {
      description: "Returns the manifest or its signature as a file, for `minisign`.",
    }),
  ),
});

export const FreshnessQuery = Type.Object({
  id: DatabaseId,
  part: Type.Optional(
    Type.Enum(["statement", "signature"], {
      description: "Returns the statement or its signature as a file, for `minisign`.",
    }),
  ),
});

const from = Type.Optional(
  Type.String({
    pattern: "^[0-9a-fA-F]{64}$",
    description:
      "SHA-256 of the file you have. If there is a patch from it to the current file, the response is about the patch. Ignored for samples.",
    examples: ["9f1c0e2d".repeat(8)],
  }),
);

export const ChecksumQuery = Type.Object({
  id: DatabaseId,
  format: Format,
  sample: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "`true` or `1` requests the sample instead of the full file. It needs no licence. Any other value means the full file.",
    }),
  ),
  build,
  from,
});

export const DownloadQuery = Type.Object({
  ...ChecksumQuery.properties,
  delivery: Type.Optional(
    Type.Enum(["redirect", "stream"], {
      default: "redirect",
      description:
        "`stream` sends the file itself instead of a redirect, for networks that cannot reach object storage.",
    }),
  ),
});

export const ChangesQuery = Type.Object({
  id: DatabaseId,
  format: Type.Optional(
    Type.Literal("csvgz", { default: "csvgz", description: "The format to compare. Only `csvgz` can be compared." }),
  ),
  from: Type.Optional({
    ...build,
    description: "The older build, by its `X-Build-Id` (default: the one that `to` replaced).",
  }),
  to: Type.Optional({ ...build, description: "The newer build, by its `X-Build-Id` (default: the current build)." }),
  rows: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "`true` or `1` returns the rows that differ, as CSV with the columns of the file after a column `op`: delete all rows with the key of a row that is `removed` or `changed`, then insert those that are `changed` or `added`. If the transfer is cut off, repeat it.",
    }),
  ),
});

export const DownloadsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ ...HISTORY_LIMIT, description: "Number of attempts. Values above the maximum are clamped." }),
  ),
  before: Type.Optional(Type.String({ description: "Cursor of the next page, taken from the `Link` header." })),
  tables: Type.Optional(
    Type.Boolean({
      default: false,
      description: "`true` or `1` lists queries of tables with Delta Sharing instead of downloads.",
    }),
  ),
});

export const EventsQuery = Type.Object({
  last_event_id: Type.Optional(
    Type.String({
      format: "uuid",
      description: "The last event you received, for clients that cannot send the `Last-Event-ID` header.",
    }),
  ),
});
