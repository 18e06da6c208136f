import {
  GeoipDownloadQuery,
  GeoipMetadata,
  GeoipMetadataQuery,
  GeoipUpdateQuery,
} from "@dbdepot/contract/geoip/editions";
import { recordUnauthorized } from "../attempts.ts";
import { LIMIT_ERRORS } from "../limits.ts";
import type { Route } from "../route.ts";
import { download, update } from "./download.ts";
import { editionInPath, editionInQuery } from "./edition.ts";
import { geoipError } from "./errors.ts";
import { metadata } from "./metadata.ts";

/** These endpoints implement the protocol of MaxMind's updater geoipupdate, with our keys and database ids. */
export const GEOIP_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/geoip/updates/metadata",
    scope: "db.download",
    acceptsBasic: true,
    errorBody: geoipError,
    handler: metadata,
    onUnauthorized: recordUnauthorized("v2", "UNAUTHORIZED", editionInQuery),
    summary: "Get dates and MD5 of MMDB files",
    description:
      "geoipupdate 6 and later calls this first. Databases that you may not download are missing from the response, and the first 10 of them are recorded in the history as refused. If that leaves none, the response is an error.",
    query: GeoipMetadataQuery,
    response: GeoipMetadata,
    errors: [
      "INVALID_REQUEST",
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/geoip/databases/:id/download",
    scope: "db.download",
    acceptsBasic: true,
    errorBody: geoipError,
    handler: download,
    onUnauthorized: recordUnauthorized("v2", "UNAUTHORIZED", editionInPath),
    summary: "Download an MMDB file in a tar.gz",
    description:
      "For geoipupdate 6 and later. The archive contains a directory with the file and is made while it is sent, so ranges are not supported. Every attempt is recorded in the history.",
    query: GeoipDownloadQuery,
    errors: [
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      ...LIMIT_ERRORS,
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/geoip/databases/:id/update",
    scope: "db.download",
    acceptsBasic: true,
    errorBody: geoipError,
    handler: update,
    onUnauthorized: recordUnauthorized("v2", "UNAUTHORIZED", editionInPath),
    summary: "Download a gzipped MMDB file",
    description:
      "For geoipupdate before version 6. Every attempt is recorded in the history, including one by a client that has the current file, which gets 304.",
    query: GeoipUpdateQuery,
    errors: [
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      ...LIMIT_ERRORS,
      "NOT_AVAILABLE",
    ],
  },
];
