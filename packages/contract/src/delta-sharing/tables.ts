import Type, { type Static } from "typebox";

/**
 * The protocol Delta Sharing, in its Parquet response format. A share is a family, a table is a version of it, and a version of the table is
 * one of its builds.
 */

/** The only schema of every share. */
export const SCHEMA_NAME = "default";

export const PageParameters = Type.Object({
  maxResults: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1, description: "The maximum number of items (default: 500)." }),
  ),
  pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the page before." })),
});

const nextPageToken = Type.Optional(
  Type.String({ description: "Sent as `pageToken` to get the next page. Absent on the last page." }),
);

const Share = Type.Object(
  { name: Type.String({ description: "The family.", examples: ["vpn_ip"] }) },
  { title: "Share", additionalProperties: false, description: "A family whose tables you can read." },
);

export const ShareList = Type.Object(
  { items: Type.Array(Share), nextPageToken },
  { title: "ShareList", additionalProperties: false, description: "The families whose tables you can read." },
);
export type ShareList = Static<typeof ShareList>;

export const ShareResponse = Type.Object(
  { share: Share },
  { title: "ShareResponse", additionalProperties: false, description: "One share." },
);
export type ShareResponse = Static<typeof ShareResponse>;

export const SchemaList = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        { name: Type.Literal(SCHEMA_NAME), share: Type.String({ description: "The family." }) },
        { additionalProperties: false },
      ),
    ),
    nextPageToken,
  },
  { title: "SchemaList", additionalProperties: false, description: "The schemas of a share: always one." },
);
export type SchemaList = Static<typeof SchemaList>;

export const TableList = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          name: Type.String({ description: "The id of the version.", examples: ["vpn_ip_v1"] }),
          schema: Type.Literal(SCHEMA_NAME),
          share: Type.String({ description: "The family." }),
        },
        { additionalProperties: false },
      ),
    ),
    nextPageToken,
  },
  { title: "TableList", additionalProperties: false, description: "The tables of a share." },
);
export type TableList = Static<typeof TableList>;

const time = (description: string) => Type.String({ maxLength: 64, description, examples: ["2026-11-17T06:00:00Z"] });
const version = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

export const TableVersionQuery = Type.Object({
  startingTimestamp: Type.Optional(time("Returns the first version that is not older than this.")),
});

/** Hints may be ignored, and programs send further ones. */
export const TableQuery = Type.Object(
  {
    predicateHints: Type.Optional(Type.Array(Type.String(), { description: "Ignored: the response has all files." })),
    jsonPredicateHints: Type.Optional(Type.String({ description: "Ignored: the response has all files." })),
    limitHint: Type.Optional(
      Type.Integer({ minimum: 0, description: "How many rows are needed. The response has enough files for them." }),
    ),
    version: Type.Optional(version("The version of the table (default: the newest).")),
    timestamp: Type.Optional(time("Returns the version that was the newest one at this time.")),
    startingVersion: Type.Optional(version("Not supported here: use `/changes`.")),
  },
  { title: "TableQuery", description: "Which rows are wanted." },
);
export type TableQuery = Static<typeof TableQuery>;

export const TableChangesQuery = Type.Object({
  startingVersion: Type.Optional(version("The first version whose changes are wanted.")),
  startingTimestamp: Type.Optional(time("Starts with the first version that is not older than this.")),
  endingVersion: Type.Optional(version("The last version whose changes are wanted (default: the newest).")),
  endingTimestamp: Type.Optional(time("Ends with the last version that is not newer than this.")),
  includeHistoricalMetadata: Type.Optional(
    Type.String({ description: "Has no effect: the columns of a table never change." }),
  ),
});

/** The body of errors, as the protocol defines it. */
export const SharingError = Type.Object(
  {
    errorCode: Type.String({
      description: "A machine-readable error code. Clients must tolerate unknown codes.",
      examples: ["NOT_LICENSED"],
    }),
    message: Type.String({ description: "What is wrong, in a sentence." }),
  },
  { title: "SharingError", additionalProperties: false, description: "An error of Delta Sharing." },
);
export type SharingError = Static<typeof SharingError>;
