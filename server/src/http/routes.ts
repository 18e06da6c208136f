import { DatabaseList } from "@dbdepot/contract/catalogue";
import { DatabaseChecksums } from "@dbdepot/contract/checksums";
import { DownloadList } from "@dbdepot/contract/downloads";
import { DatabaseMetadata } from "@dbdepot/contract/metadata";
import * as parameters from "@dbdepot/contract/parameters";
import type { Route } from "./route.ts";
import { checksum } from "./v2/checksum.ts";
import { download, recordUnauthorized } from "./v2/download.ts";
import { downloads } from "./v2/downloads.ts";
import { list } from "./v2/list.ts";
import { metadata } from "./v2/metadata.ts";

/** Every address of the service, with the scope that a key needs for it. No scope is none, never all. */
export const ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/api/v2/database/list",
    scope: "db.download",
    handler: list,
    summary: "List the catalogue with your organization's standing",
    response: DatabaseList,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v2/database/download",
    scope: "db.download",
    handler: download,
    onUnauthorized: recordUnauthorized,
    summary: "Get a time-limited link to a database file",
    query: parameters.DownloadQuery,
    errors: [
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/metadata",
    scope: "db.download",
    handler: metadata,
    isUnlimited: true,
    summary: "Read the build document of a database",
    query: parameters.MetadataQuery,
    response: DatabaseMetadata,
    errors: ["UNAUTHORIZED", "NOT_LICENSED", "LICENSE_EXPIRED", "UNKNOWN_DATASET", "UNKNOWN_BUILD", "NOT_AVAILABLE"],
  },
  {
    method: "GET",
    url: "/api/v2/database/checksum",
    scope: "db.download",
    handler: checksum,
    summary: "Read the digests of a database file",
    query: parameters.ChecksumQuery,
    response: DatabaseChecksums,
    errors: [
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/downloads",
    scope: "db.download",
    handler: downloads,
    summary: "Read the history of your organization's download attempts",
    query: parameters.DownloadsQuery,
    response: DownloadList,
    errors: ["UNAUTHORIZED"],
  },
];
