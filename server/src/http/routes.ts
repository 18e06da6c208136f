import {
  ApiKeyList,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  RevokeKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from "@dbdepot/contract/apikeys";
import { DatabaseList } from "@dbdepot/contract/catalogue";
import { DatabaseChecksums, LegacyChecksums } from "@dbdepot/contract/checksums";
import { DownloadList } from "@dbdepot/contract/downloads";
import { DatabaseMetadata, LegacyMetadata } from "@dbdepot/contract/metadata";
import * as parameters from "@dbdepot/contract/parameters";
import { recordUnauthorized } from "./attempts.ts";
import { create as createKey } from "./iam/create.ts";
import { list as listKeys } from "./iam/list.ts";
import { revoke as revokeKey } from "./iam/revoke.ts";
import { rotate as rotateKey } from "./iam/rotate.ts";
import { update as updateKey } from "./iam/update.ts";
import { docs, openApiJson } from "./openapi/handlers.ts";
import { OPERATOR_ROUTES } from "./operator/routes.ts";
import type { Route } from "./route.ts";
import { checksum as legacyChecksum } from "./v1/checksum.ts";
import { download as legacyDownload } from "./v1/download.ts";
import { metadata as legacyMetadata } from "./v1/metadata.ts";
import { checksum } from "./v2/checksum.ts";
import { download } from "./v2/download.ts";
import { downloads } from "./v2/downloads.ts";
import { list } from "./v2/list.ts";
import { metadata } from "./v2/metadata.ts";

/**
 * Every address for customers, with the scope that a key needs for it. No scope is none, never all. The operator's
 * stand on a page of their own, operator/routes.ts.
 */
export const CUSTOMER_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/api/v2/database/list",
    scope: "db.download",
    handler: list,
    summary: "List the catalogue",
    description:
      "Every family that you may know of, with your organization's standing, the term of its licence, and its versions.",
    response: DatabaseList,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v2/database/download",
    scope: "db.download",
    handler: download,
    onUnauthorized: recordUnauthorized("v2", "UNAUTHORIZED"),
    summary: "Download a file",
    description:
      "Redirects to a time-limited link at the object storage: follow it. The attempt goes into the history, granted or not, before the answer leaves.",
    query: parameters.DownloadQuery,
    errors: [
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "PRECONDITION_FAILED",
      "RANGE_NOT_SATISFIABLE",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/metadata",
    scope: "db.download",
    handler: metadata,
    isUnlimited: true,
    summary: "Read the metadata of a build",
    description:
      "Date, row count, columns, sizes and a sample of the current build, as its exporter wrote them; one document for all formats. Made for polling: send back the `ETag`, and an unchanged build is a 304.",
    query: parameters.MetadataQuery,
    response: DatabaseMetadata,
    errors: ["UNAUTHORIZED", "NOT_LICENSED", "LICENSE_EXPIRED", "UNKNOWN_DATASET", "UNKNOWN_BUILD", "NOT_AVAILABLE"],
  },
  {
    method: "GET",
    url: "/api/v2/database/checksum",
    scope: "db.download",
    handler: checksum,
    summary: "Read the checksums of a file",
    description: "The digests of the file that a download would hand out now, or of the build that you pin.",
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
    summary: "Read the download history",
    description:
      "The download attempts of your organization's keys on v1 and v2, newest first. A limit or cursor that is none is ignored: there is no error for it.",
    query: parameters.DownloadsQuery,
    response: DownloadList,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v1/database/download",
    scope: "v1 key",
    handler: legacyDownload,
    onUnauthorized: recordUnauthorized("v1", "INVALID_APIKEY"),
    summary: "Download a file (v1)",
    description: "Sends the file itself, no redirect. Parts of it can be asked for with `Range`.",
    query: parameters.LegacyFileQuery,
    errors: [
      "PRECONDITION_FAILED",
      "RANGE_NOT_SATISFIABLE",
      "INVALID_APIKEY",
      "INVALID_ID",
      "INVALID_FORMAT",
      "UNAUTHORIZED_ID",
      "DB_NOT_FOUND",
    ],
  },
  {
    method: "GET",
    url: "/api/v1/database/checksum",
    scope: "v1 key",
    handler: legacyChecksum,
    summary: "Read the checksums of a file (v1)",
    description: "The digests of the file that a download would send now.",
    query: parameters.LegacyFileQuery,
    response: LegacyChecksums,
    errors: ["INVALID_APIKEY", "INVALID_ID", "INVALID_FORMAT", "UNAUTHORIZED_ID", "DB_NOT_FOUND"],
  },
  {
    method: "GET",
    url: "/api/v1/database/metadata",
    scope: "v1 key",
    handler: legacyMetadata,
    summary: "Read the metadata of a build (v1)",
    description: "Date, row count and sizes of the current build.",
    query: parameters.LegacyMetadataQuery,
    response: LegacyMetadata,
    errors: ["INVALID_APIKEY", "INVALID_ID", "UNAUTHORIZED_ID", "DB_NOT_FOUND"],
  },
  {
    method: "POST",
    url: "/api/v1/iam/apikeys",
    scope: "apikeys.manage",
    bearerOnly: true,
    handler: createKey,
    summary: "Create a key",
    description:
      "A new key of your organization. Its secret is in this answer and never again. With an `Idempotency-Key` header (1 to 255 visible ASCII characters) a creation that is repeated within a day creates nothing: it is 409 `ALREADY_CREATED`, with the `id` of the first one's key.",
    body: CreateKeyRequest,
    response: CreatedKey,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", "ALREADY_CREATED", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  },
  {
    method: "GET",
    url: "/api/v1/iam/apikeys",
    scope: "apikeys.manage",
    bearerOnly: true,
    handler: listKeys,
    summary: "List the keys",
    description: "All keys of your organization, newest first, never with a secret.",
    response: ApiKeyList,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/rotate",
    scope: "apikeys.manage",
    bearerOnly: true,
    handler: rotateKey,
    summary: "Give a key a new secret",
    description:
      "The new secret is in this answer and never again. The old one works on for `overlap_seconds`. A key that is bound to CIDRs can do this only to keys that are bound inside them.",
    body: RotateKeyRequest,
    isBodyOptional: true,
    response: CreatedKey,
    errors: [
      "INVALID_REQUEST",
      "UNAUTHORIZED",
      "OUTSIDE_CIDRS",
      "NOT_FOUND",
      "KEY_REVOKED",
      "TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ],
  },
  {
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/revoke",
    scope: "apikeys.manage",
    bearerOnly: true,
    handler: revokeKey,
    summary: "Revoke a key",
    description: "It never works again, and stays listed. Revoking it once more changes nothing.",
    body: RevokeKeyRequest,
    isBodyOptional: true,
    response: ChangedKey,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", "NOT_FOUND", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"],
  },
  {
    method: "PATCH",
    url: "/api/v1/iam/apikeys/:id",
    scope: "apikeys.manage",
    bearerOnly: true,
    handler: updateKey,
    summary: "Change a key",
    description:
      "Its name, scopes, CIDRs or end; what is left out stays. A key that is bound to CIDRs can do this only to keys that are bound inside them, and stay so.",
    body: UpdateKeyRequest,
    response: ChangedKey,
    errors: [
      "INVALID_REQUEST",
      "UNAUTHORIZED",
      "OUTSIDE_CIDRS",
      "NOT_FOUND",
      "KEY_REVOKED",
      "TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ],
  },
  {
    method: "GET",
    url: "/openapi.json",
    scope: "public",
    handler: openApiJson(() => CUSTOMER_ROUTES),
    summary: "Read this document",
    description: "The description of every address, in OpenAPI 3.1, for tools and generators of clients.",
    errors: [],
  },
  {
    method: "GET",
    url: "/docs",
    scope: "public",
    handler: docs(() => CUSTOMER_ROUTES),
    summary: "Read this document as a page",
    description: "The same for people: a guide, every address with examples, and the table of codes.",
    errors: [],
  },
];

export const ROUTES: readonly Route[] = [...CUSTOMER_ROUTES, ...OPERATOR_ROUTES];
