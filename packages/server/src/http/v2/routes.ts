import { DatabaseList } from "@dbdepot/contract/v2/catalogue";
import { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import { DownloadList } from "@dbdepot/contract/v2/downloads";
import { SignedFreshness } from "@dbdepot/contract/v2/freshness";
import { LimitList } from "@dbdepot/contract/v2/limits";
import { SignedManifest, SigningKeys } from "@dbdepot/contract/v2/manifests";
import { DatabaseMetadata } from "@dbdepot/contract/v2/metadata";
import {
  ChangesQuery,
  ChecksumQuery,
  DownloadQuery,
  DownloadsQuery,
  EventsQuery,
  FreshnessQuery,
  ManifestQuery,
  MetadataQuery,
} from "@dbdepot/contract/v2/queries";
import { UsageReport, UsageReportQuery } from "@dbdepot/contract/v2/usage";
import { recordUnauthorized } from "../attempts.ts";
import { LIMIT_ERRORS } from "../limits.ts";
import type { Route } from "../route.ts";
import { changes, wantsRows } from "./changes.ts";
import { download } from "./download.ts";
import { downloads } from "./downloads.ts";
import { events } from "./events.ts";
import { feed } from "./feed.ts";
import { limits } from "./limits.ts";
import { list } from "./list.ts";
import { freshness, manifest, signingKeys } from "./manifest.ts";
import { checksum, metadata } from "./metadata.ts";
import { usage } from "./usage.ts";

/** Reasons to refuse anything about a build. */
const BUILD_ERRORS = [
  "UNAUTHORIZED",
  "NOT_LICENSED",
  "LICENSE_EXPIRED",
  "TERMS_NOT_ACCEPTED",
  "UNKNOWN_DATASET",
  "UNKNOWN_BUILD",
] as const;

/** Everything a customer does with databases, with the scope that a key needs for it. */
export const V2_ROUTES: readonly Route[] = [
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
    query: DownloadQuery,
    errors: [
      "INVALID_FORMAT",
      "INVALID_REQUEST",
      ...BUILD_ERRORS,
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
    query: MetadataQuery,
    response: DatabaseMetadata,
    errors: [...BUILD_ERRORS, "NOT_AVAILABLE"],
  },
  {
    method: "GET",
    url: "/api/v2/database/checksum",
    scope: "db.download",
    handler: checksum,
    summary: "Get a file's checksums",
    description:
      "Returns the digests of the file in the current build, or in the build given by `build`. With `from`, also says whether there is a patch from the file you have, and its size.",
    query: ChecksumQuery,
    response: DatabaseChecksums,
    errors: ["INVALID_FORMAT", "INVALID_REQUEST", ...BUILD_ERRORS, "NOT_AVAILABLE"],
  },
  {
    method: "GET",
    url: "/api/v2/database/changes",
    scope: "db.download",
    handler: changes,
    async onUnauthorized(context, refusal) {
      if (wantsRows(context.request)) await recordUnauthorized("v2", "UNAUTHORIZED")(context, refusal);
    },
    summary: "Get what changed between builds",
    description:
      "Compares the CSV files of two builds by their key, usually the network: how many rows were added, removed and changed, in which columns, with examples. With `rows`, returns the rows themselves, to update a database of your own without downloading the whole file again; that is a download in the history and for your limits.",
    query: ChangesQuery,
    response: DatabaseChanges,
    errors: [
      "INVALID_FORMAT",
      ...BUILD_ERRORS,
      "NOT_COMPARABLE",
      "BUILD_GONE",
      ...LIMIT_ERRORS,
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
    query: ManifestQuery,
    response: SignedManifest,
    errors: [...BUILD_ERRORS, "NOT_SIGNED", "NOT_AVAILABLE"],
  },
  {
    method: "GET",
    url: "/api/v2/database/freshness",
    scope: "db.download",
    handler: freshness,
    isPolled: true,
    summary: "Get the statement of freshness",
    description:
      "Returns a signed statement that a manifest was the newest one when the statement was issued, and until when you may rely on that. It tells a service without a new build from one that stalls, and from someone who repeats old responses. The service issues a new statement at half its life, and immediately after each change. Returns 404 `NOT_SIGNED` if the service issues none.",
    query: FreshnessQuery,
    response: SignedFreshness,
    errors: [...BUILD_ERRORS.filter((code) => code !== "UNKNOWN_BUILD"), "NOT_SIGNED", "NOT_AVAILABLE"],
  },
  {
    method: "GET",
    url: "/.well-known/dbdepot-keys.json",
    scope: "public",
    handler: signingKeys,
    summary: "Get the signing keys",
    description:
      "Returns the public keys that sign manifests. A key that replaced another one carries the old key's endorsement. `freshness_keys` sign statements of freshness, and nothing else.",
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
    query: DownloadsQuery,
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
      "Returns the limits that your vendor has set for your organization, how much of them is used, and when they reset. Most organizations have none.",
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
    query: EventsQuery,
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
      "Returns the current builds of the databases that you can download, newest first, as an Atom feed for feed readers. Returns at most 50 builds.",
    errors: ["UNAUTHORIZED"],
  },
];
