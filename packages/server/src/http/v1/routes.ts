import { LegacyChecksums, LegacyFileQuery, LegacyMetadata, LegacyMetadataQuery } from "@dbdepot/contract/v1/files";
import { recordUnauthorized } from "../attempts.ts";
import { LIMIT_ERRORS } from "../limits.ts";
import type { Route } from "../route.ts";
import { checksum, download, metadata } from "./handlers.ts";

/** The legacy API, which takes UUID keys in the query and sends files directly. */
export const V1_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/api/v1/database/download",
    scope: "v1 key",
    handler: download,
    onUnauthorized: recordUnauthorized("v1", "INVALID_APIKEY"),
    summary: "Download a file (v1)",
    description: "Returns the file itself, without a redirect. Supports `Range`.",
    query: LegacyFileQuery,
    errors: [
      "PRECONDITION_FAILED",
      "RANGE_NOT_SATISFIABLE",
      "INVALID_APIKEY",
      "INVALID_ID",
      "INVALID_FORMAT",
      "UNAUTHORIZED_ID",
      "DB_NOT_FOUND",
      ...LIMIT_ERRORS,
    ],
  },
  {
    method: "GET",
    url: "/api/v1/database/checksum",
    scope: "v1 key",
    handler: checksum,
    summary: "Get a file's checksums (v1)",
    description: "Returns the digests of the current build's file.",
    query: LegacyFileQuery,
    response: LegacyChecksums,
    errors: ["INVALID_APIKEY", "INVALID_ID", "INVALID_FORMAT", "UNAUTHORIZED_ID", "DB_NOT_FOUND"],
  },
  {
    method: "GET",
    url: "/api/v1/database/metadata",
    scope: "v1 key",
    handler: metadata,
    summary: "Get a build's metadata (v1)",
    description: "Returns the date, row count and sizes of the current build.",
    query: LegacyMetadataQuery,
    response: LegacyMetadata,
    errors: ["INVALID_APIKEY", "INVALID_ID", "UNAUTHORIZED_ID", "DB_NOT_FOUND"],
  },
];
