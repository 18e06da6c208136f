import { FILE_TYPES } from "@dbdepot/contract/shared/formats";
import type { HeaderName } from "../headers.ts";
import * as examples from "./examples.ts";
import type { NotesByRoute, ResponseNotes } from "./notes.ts";

const BUILD_HEADERS: readonly HeaderName[] = ["ETag", "Last-Modified", "Repr-Digest", "X-Build-Id"];
const FILE_HEADERS: readonly HeaderName[] = [...BUILD_HEADERS, "Accept-Ranges"];
const PATCH_HEADERS: readonly HeaderName[] = ["X-Patch-From", "X-Patch-Sha256", "X-Patch-Size"];
const FILES = Object.values(FILE_TYPES).map(({ contentType }) => contentType);

const NOT_MODIFIED: ResponseNotes = { description: "Not modified. No body.", headers: BUILD_HEADERS };

export const V2_NOTES: NotesByRoute = {
  "GET /api/v2/database/list": {
    operationId: "listDatabases",
    tag: "Databases",
    curl: curl("list"),
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The catalogue.", headers: ["ETag"], example: examples.databaseList },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
  "GET /api/v2/database/download": {
    operationId: "downloadDatabaseV2",
    tag: "Databases",
    curl: `curl -fsSL -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" -o vpn_ip_v1.mmdb \\
    "$DBDEPOT_CLIENT_URL/api/v2/database/download?id=vpn_ip_v1&format=mmdb"`,
    requestHeaders: ["Range", "IfRange", "IfNoneMatch"],
    responses: {
      200: {
        description: "With `delivery=stream`: the file or patch.",
        headers: [...FILE_HEADERS, "Content-Disposition", ...PATCH_HEADERS],
        files: FILES,
      },
      206: {
        description: "With `delivery=stream`: the requested range of the file or patch.",
        headers: [...FILE_HEADERS, "Content-Disposition", "Content-Range", ...PATCH_HEADERS],
        files: FILES,
      },
      302: {
        description: "A redirect to the file or patch. No body.",
        headers: ["Location", "ETag", "Repr-Digest", "X-Build-Id", ...PATCH_HEADERS],
      },
      304: {
        description: "With `delivery=stream`: not modified. No body.",
        headers: FILE_HEADERS,
      },
    },
  },
  "GET /api/v2/database/metadata": {
    operationId: "databaseMetadataV2",
    tag: "Databases",
    curl: curl("metadata?id=vpn_ip_v1"),
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The metadata document.", headers: BUILD_HEADERS, example: examples.metadata },
      304: NOT_MODIFIED,
    },
  },
  "GET /api/v2/database/checksum": {
    operationId: "databaseChecksumV2",
    tag: "Databases",
    curl: curl("checksum?id=vpn_ip_v1&format=mmdb"),
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The digests of the file.", headers: BUILD_HEADERS, example: examples.checksums },
      304: NOT_MODIFIED,
    },
  },
  "GET /api/v2/database/changes": {
    operationId: "getChanges",
    tag: "Databases",
    curl: curl("changes?id=vpn_ip_v1"),
    responses: {
      200: {
        description: "What changed. With `rows`, the rows as CSV.",
        headers: ["X-Build-Id"],
        example: examples.databaseChanges,
        files: ["text/csv"],
      },
    },
  },
  "GET /api/v2/database/manifest": {
    operationId: "getManifest",
    tag: "Databases",
    curl: curl("manifest?id=vpn_ip_v1"),
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: {
        description: "The manifest and its signature. With `part`, one of them as a file.",
        headers: BUILD_HEADERS,
        example: examples.signedManifest,
        files: ["text/plain"],
      },
      304: NOT_MODIFIED,
    },
  },
  "GET /api/v2/database/freshness": {
    operationId: "getFreshness",
    tag: "Databases",
    curl: curl("freshness?id=vpn_ip_v1"),
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: {
        description: "The statement and its signature. With `part`, one of them as a file.",
        headers: ["ETag", "Last-Modified"],
        example: examples.signedFreshness,
        files: ["text/plain"],
      },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
  "GET /.well-known/dbdepot-keys.json": {
    operationId: "getSigningKeys",
    tag: "Databases",
    curl: 'curl -fsS "$DBDEPOT_CLIENT_URL/.well-known/dbdepot-keys.json"',
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The public keys.", headers: ["ETag"], example: examples.signingKeys },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
  "GET /api/v2/database/downloads": {
    operationId: "listDownloads",
    tag: "Databases",
    curl: curl("downloads?limit=50"),
    responses: { 200: { description: "One page of the history.", headers: ["Link"], example: examples.downloadList } },
  },
  "GET /api/v2/database/limits": {
    operationId: "getLimits",
    tag: "Databases",
    curl: curl("limits"),
    responses: { 200: { description: "Your limits.", example: examples.limitList } },
  },
  "GET /api/v2/database/usage": {
    operationId: "getUsage",
    tag: "Databases",
    curl: curl("usage?by=month"),
    responses: {
      200: {
        description: "The report. With `format=csv`, its lines as CSV.",
        example: examples.usageReport,
        files: ["text/csv"],
      },
    },
  },
  "GET /api/v2/feed.atom": {
    operationId: "getFeed",
    tag: "Databases",
    curl: `curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\
  "$DBDEPOT_CLIENT_URL/api/v2/feed.atom"`,
    requestHeaders: ["IfNoneMatch"],
    responses: {
      200: { description: "The feed.", headers: ["ETag"], files: ["application/atom+xml"] },
      304: { description: "Not modified. No body.", headers: ["ETag"] },
    },
  },
  "GET /api/v2/events": {
    operationId: "followEvents",
    tag: "Databases",
    curl: `curl -fsSN -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\
  "$DBDEPOT_CLIENT_URL/api/v2/events"`,
    requestHeaders: ["LastEventId"],
    responses: { 200: { description: "Events, until the connection is closed.", files: ["text/event-stream"] } },
  },
};

function curl(path: string): string {
  return `curl -fsS -H "Authorization: Bearer $DBDEPOT_CLIENT_KEY" \\\n  "$DBDEPOT_CLIENT_URL/api/v2/database/${path}"`;
}
