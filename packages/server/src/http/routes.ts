import {
  ApiKeyList,
  ApiKeysQuery,
  ChangedKey,
  CreatedKey,
  CreateKeyRequest,
  Identity,
  OwnOrganization,
  RevokeKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from "@dbdepot/contract/iam/keys";
import { Liveness, Readiness } from "@dbdepot/contract/shared/health";
import * as files from "@dbdepot/contract/v1/files";
import { LegacyChecksums, LegacyMetadata } from "@dbdepot/contract/v1/files";
import { DatabaseList } from "@dbdepot/contract/v2/catalogue";
import { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import { DownloadList } from "@dbdepot/contract/v2/downloads";
import { LimitList } from "@dbdepot/contract/v2/limits";
import { SignedManifest, SigningKeys } from "@dbdepot/contract/v2/manifests";
import { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import * as queries from "@dbdepot/contract/v2/queries";
import { UsageReport, UsageReportQuery } from "@dbdepot/contract/v2/usage";
import { LOGO_PATHS } from "../domain/brand/brand.ts";
import { recordUnauthorized } from "./attempts.ts";
import { darkLogo, logo } from "./brand.ts";
import { clientDigest, clientPackage } from "./client-package.ts";
import { consoleFile, redirectToConsole } from "./console/files.ts";
import { CONSOLE_ROUTES } from "./console/routes.ts";
import { endpoint } from "./endpoint.ts";
import { GEOIP_ROUTES } from "./geoip/routes.ts";
import { healthz, readyz } from "./health.ts";
import { identity, organization } from "./iam/identity.ts";
import { createKey, endKeyOverlap, listKeys, revokeKey, rotateKey, updateKey } from "./iam/keys.ts";
import { LIMIT_ERRORS } from "./limits.ts";
import { OAUTH_ROUTES } from "./oauth/routes.ts";
import { docs, openApiJson } from "./openapi/handlers.ts";
import { OPERATOR_ROUTES } from "./operator/routes.ts";
import type { Route } from "./route.ts";
import { postUnsubscribe, unsubscribePage } from "./unsubscribe.ts";
import * as v1 from "./v1/handlers.ts";
import { changes } from "./v2/changes.ts";
import { download } from "./v2/download.ts";
import { downloads } from "./v2/downloads.ts";
import { events } from "./v2/events.ts";
import { feed } from "./v2/feed.ts";
import { limits } from "./v2/limits.ts";
import { list } from "./v2/list.ts";
import { manifest, signingKeys } from "./v2/manifest.ts";
import { checksum, metadata } from "./v2/metadata.ts";
import { usage } from "./v2/usage.ts";
import { WEBHOOK_ROUTES } from "./webhooks/routes.ts";

/** The only conflict about a key is that it was revoked. */
const KEY_FAULTS = { conflict: "KEY_REVOKED" } as const;

/**
 * Every endpoint for customers, with the scope that a key needs for it. Endpoints for webhooks are in
 * webhooks/routes.ts, for geoipupdate in geoip/routes.ts, for programs that sign in in oauth/routes.ts, for operators in operator/, and for people in console/routes.ts.
 */
const CUSTOMER_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/api/v2/database/list",
    scope: "db.download",
    handler: list,
    summary: "List the catalogue",
    description:
      "Returns every family visible to your organization, with its licence standing, licence term and versions.",
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
      "Redirects to a time-limited link to object storage, or to a patch if you have an earlier file (`from`). Every attempt, granted or refused, is recorded in the history before the response is sent.",
    query: queries.DownloadQuery,
    errors: [
      "INVALID_FORMAT",
      "INVALID_REQUEST",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "PRECONDITION_FAILED",
      "RANGE_NOT_SATISFIABLE",
      ...LIMIT_ERRORS,
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/metadata",
    scope: "db.download",
    handler: metadata,
    isPolled: true,
    summary: "Get a build's metadata",
    description:
      "Returns the date, row count, columns, sizes and sample rows of the current build. One document covers all formats. Designed for polling: send the last `ETag` in `If-None-Match` and the response is 304 until a new build is published.",
    query: queries.MetadataQuery,
    response: DatabaseMetadata,
    errors: [
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/checksum",
    scope: "db.download",
    handler: checksum,
    summary: "Get a file's checksums",
    description:
      "Returns the digests of the file in the current build, or in the build given by `build`. With `from`, also says whether there is a patch from the file you have, and its size.",
    query: queries.ChecksumQuery,
    response: DatabaseChecksums,
    errors: [
      "INVALID_FORMAT",
      "INVALID_REQUEST",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/changes",
    scope: "db.download",
    handler: changes,
    summary: "Get what changed between builds",
    description:
      "Compares the CSV files of two builds by their key, usually the network: how many rows were added, removed and changed, in which columns, with examples. With `rows`, returns the rows themselves, to update a database of your own without loading everything again.",
    query: queries.ChangesQuery,
    response: DatabaseChanges,
    errors: [
      "INVALID_FORMAT",
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "NOT_COMPARABLE",
      "BUILD_GONE",
      "NOT_AVAILABLE",
      "CHANGES_PENDING",
    ],
  },
  {
    method: "GET",
    url: "/api/v2/database/manifest",
    scope: "db.download",
    handler: manifest,
    isPolled: true,
    summary: "Get a build's signed manifest",
    description:
      "Returns a signed statement about the current build: its id, sizes and digests, and the digest of the previous statement. `manifest` is the signed text and `signature` a minisign signature of it. Returns 404 `NOT_SIGNED` if the service does not sign its builds.",
    query: queries.ManifestQuery,
    response: SignedManifest,
    errors: [
      "UNAUTHORIZED",
      "NOT_LICENSED",
      "LICENSE_EXPIRED",
      "TERMS_NOT_ACCEPTED",
      "UNKNOWN_DATASET",
      "UNKNOWN_BUILD",
      "NOT_SIGNED",
      "NOT_AVAILABLE",
    ],
  },
  {
    method: "GET",
    url: "/.well-known/dbdepot-keys.json",
    scope: "public",
    handler: signingKeys,
    summary: "Get the signing keys",
    description:
      "Returns the public keys that sign manifests. A key that replaced another one carries the old key's endorsement.",
    response: SigningKeys,
    errors: ["NOT_SIGNED"],
  },
  {
    method: "GET",
    url: "/api/v2/database/downloads",
    scope: "db.download",
    handler: downloads,
    summary: "List download attempts",
    description:
      "Returns the download attempts of your organization's keys on v1 and v2, newest first. Invalid `limit` and `before` values are ignored.",
    query: queries.DownloadsQuery,
    response: DownloadList,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v2/database/limits",
    scope: "db.download",
    handler: limits,
    summary: "Get your limits",
    description:
      "Returns the limits that your vendor has set for your organization, how much of them is used, and when they start again. Most organizations have none.",
    response: LimitList,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v2/database/usage",
    scope: "db.download",
    handler: usage,
    summary: "Report usage",
    description:
      "Returns what your organization downloaded, by day, month or database, without samples. A day is final three days after its end, a month with its last day. Final numbers never change.",
    query: UsageReportQuery,
    response: UsageReport,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v2/events",
    scope: "db.download",
    handler: events,
    summary: "Follow events",
    description:
      "Sends events as server-sent events (`text/event-stream`), as they happen: new and withdrawn builds of the databases you can download, and changes of your licences. Keys that also have the scope `apikeys.manage` receive changes of your keys too. The `data` of an event is the JSON document that webhooks receive. The response does not end: when the connection breaks, reconnect and send the last `id` you received in `Last-Event-ID` to get the events since then. If that is not possible, because you sent no id or the event was more than 30 days ago, the stream begins with an event of the type `reset`: poll once to learn what you missed.",
    query: queries.EventsQuery,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v2/feed.atom",
    scope: "db.download",
    handler: feed,
    isPolled: true,
    summary: "Get a feed of new builds",
    description:
      "Returns the current builds of the databases that you can download, newest first, as an Atom feed for feed readers. At most 50.",
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v1/database/download",
    scope: "v1 key",
    handler: v1.download,
    onUnauthorized: recordUnauthorized("v1", "INVALID_APIKEY"),
    summary: "Download a file (v1)",
    description: "Returns the file itself, without a redirect. Supports `Range`.",
    query: files.LegacyFileQuery,
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
    handler: v1.checksum,
    summary: "Get a file's checksums (v1)",
    description: "Returns the digests of the current build's file.",
    query: files.LegacyFileQuery,
    response: LegacyChecksums,
    errors: ["INVALID_APIKEY", "INVALID_ID", "INVALID_FORMAT", "UNAUTHORIZED_ID", "DB_NOT_FOUND"],
  },
  {
    method: "GET",
    url: "/api/v1/database/metadata",
    scope: "v1 key",
    handler: v1.metadata,
    summary: "Get a build's metadata (v1)",
    description: "Returns the date, row count and sizes of the current build.",
    query: files.LegacyMetadataQuery,
    response: LegacyMetadata,
    errors: ["INVALID_APIKEY", "INVALID_ID", "UNAUTHORIZED_ID", "DB_NOT_FOUND"],
  },
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys",
    scope: "apikeys.manage",
    respond: createKey,
    summary: "Create a key",
    description:
      "Creates a key for your organization. The secret is returned only in this response. To retry safely, send an `Idempotency-Key` header (1 to 255 visible ASCII characters): repeating the request within a day returns 409 `ALREADY_CREATED` with the `id` of the key created first.",
    body: CreateKeyRequest,
    response: CreatedKey,
    errors: ["ALREADY_CREATED", "TOO_MANY_KEYS"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "GET",
    url: "/api/v1/iam/apikeys",
    scope: "apikeys.read",
    respond: listKeys,
    summary: "List keys",
    description:
      "Returns your organization's keys, newest first, including revoked ones, without secrets. The `Link` header points to the next page. The scope `apikeys.manage` includes `apikeys.read`.",
    query: ApiKeysQuery,
    response: ApiKeyList,
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/rotate",
    scope: "apikeys.manage",
    respond: rotateKey,
    summary: "Rotate a key",
    description:
      "Issues a new secret, which is returned only in this response. The old secret keeps working for `overlap_seconds`. A key restricted to CIDRs can rotate only keys restricted to a subset of them, and a key that expires only keys that expire no later.",
    body: RotateKeyRequest,
    isBodyOptional: true,
    response: CreatedKey,
    errors: ["OUTSIDE_CIDRS", "BEYOND_EXPIRY", "NOT_FOUND", "KEY_REVOKED"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/end-overlap",
    scope: "apikeys.manage",
    respond: endKeyOverlap,
    summary: "End the overlap of a rotation",
    description:
      "Makes the old secret of a rotated key stop working now. The current secret keeps working. Has no effect if no old secret works any more. A key can do this for the keys that it can rotate.",
    body: RevokeKeyRequest,
    isBodyOptional: true,
    response: ChangedKey,
    errors: ["OUTSIDE_CIDRS", "BEYOND_EXPIRY", "NOT_FOUND", "KEY_REVOKED"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "POST",
    url: "/api/v1/iam/apikeys/:id/revoke",
    scope: "apikeys.manage",
    respond: revokeKey,
    summary: "Revoke a key",
    description: "Revokes the key permanently. It stays in the list. Revoking it again has no effect.",
    body: RevokeKeyRequest,
    isBodyOptional: true,
    response: ChangedKey,
    errors: ["NOT_FOUND"],
    faultCodes: KEY_FAULTS,
  }),
  endpoint({
    method: "PATCH",
    url: "/api/v1/iam/apikeys/:id",
    scope: "apikeys.manage",
    respond: updateKey,
    summary: "Change a key",
    description:
      "Changes the key's name, scopes, CIDRs or expiry. Omitted fields keep their values. A key restricted to CIDRs can change only keys restricted to a subset of them, and a key that expires only keys that expire no later, before and after the change.",
    body: UpdateKeyRequest,
    response: ChangedKey,
    errors: ["OUTSIDE_CIDRS", "BEYOND_EXPIRY", "NOT_FOUND", "KEY_REVOKED", "TOO_MANY_KEYS"],
    faultCodes: KEY_FAULTS,
  }),
  {
    method: "GET",
    url: "/api/v1/iam/identity",
    scope: "any key",
    handler: identity,
    summary: "Identify the calling key",
    description:
      "Returns the organization, scopes, networks and expiry of the key that sends the request. Use it to find out why a key can't do something.",
    response: Identity,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/api/v1/iam/org",
    scope: "org.read",
    handler: organization,
    summary: "Get your organization",
    description: "Returns the id and name of the organization that the caller belongs to, and when it was added.",
    response: OwnOrganization,
    errors: ["UNAUTHORIZED"],
  },
  {
    method: "GET",
    url: "/openapi.json",
    scope: "public",
    handler: openApiJson(() => DOCUMENTED_ROUTES),
    summary: "Get the OpenAPI document",
    description: "Describes every endpoint in OpenAPI 3.1, for tools and client generators.",
  },
  {
    method: "GET",
    url: "/docs",
    scope: "public",
    handler: docs(() => DOCUMENTED_ROUTES),
    summary: "Get the API reference",
    description: "An HTML page with a guide, every endpoint with examples, and all error codes.",
  },
  {
    method: "GET",
    url: "/download/dbdepot-client.tgz",
    scope: "public",
    handler: clientPackage,
    summary: "Get the client",
    description:
      "The npm package of the `dbdepot` command and its library for Node.js, of this server's version. Its only dependency, for the system's keyring, is optional. Install it with `npm install --global ./dbdepot-client.tgz`.",
  },
  {
    method: "GET",
    url: "/download/dbdepot-client.tgz.sha256",
    scope: "public",
    handler: clientDigest,
    summary: "Get the client's digest",
    description: "The SHA-256 of the client's package, for `sha256sum --check`.",
  },
];

/** The OpenAPI document describes these. */
export const DOCUMENTED_ROUTES: readonly Route[] = [
  ...CUSTOMER_ROUTES,
  ...WEBHOOK_ROUTES,
  ...GEOIP_ROUTES,
  ...OAUTH_ROUTES,
  ...CONSOLE_ROUTES,
];

/** Load balancers and orchestrators use these. */
const HEALTH_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/healthz",
    scope: "public",
    handler: healthz,
    summary: "Check that the process is alive",
    response: Liveness,
  },
  {
    method: "GET",
    url: "/readyz",
    scope: "public",
    handler: readyz,
    summary: "Check that the server can serve requests",
    response: Readiness,
  },
];

/** People open these in a browser, so they are not part of the OpenAPI document. */
const PAGE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    url: "/",
    scope: "public",
    handler: redirectToConsole,
    summary: "Go to the console",
  },
  {
    method: "GET",
    url: LOGO_PATHS.light,
    scope: "public",
    handler: logo,
    summary: "Get the vendor's logo",
  },
  {
    method: "GET",
    url: LOGO_PATHS.dark,
    scope: "public",
    handler: darkLogo,
    summary: "Get the vendor's logo for dark backgrounds",
  },
  {
    method: "GET",
    url: "/unsubscribe",
    scope: "public",
    handler: unsubscribePage,
    summary: "Show the page that stops notifications",
  },
  {
    method: "POST",
    url: "/unsubscribe",
    scope: "public",
    handler: postUnsubscribe,
    summary: "Stop notifications",
  },
  ...["/console", "/console/*"].map(
    (url): Route => ({
      method: "GET",
      url,
      scope: "public",
      handler: consoleFile,
      summary: "Get the console",
    }),
  ),
];

export const ROUTES: readonly Route[] = [...DOCUMENTED_ROUTES, ...OPERATOR_ROUTES, ...HEALTH_ROUTES, ...PAGE_ROUTES];
