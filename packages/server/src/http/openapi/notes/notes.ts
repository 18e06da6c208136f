import type { HeaderName, RequestHeader } from "../headers.ts";

/** Sections of the document, in reading order. */
export const TAGS = {
  Databases:
    "List, download and verify databases, and read the download history. Requires a key with the scope `db.download`.",
  Keys: "Manage your organization's keys. Requires a key with the scope `apikeys.manage`, sent as `Authorization: Bearer`; to list keys, `apikeys.read` is enough. Every key can identify itself.",
  Webhooks:
    "The service sends a request to your URL when something happens, such as a new build. Requires a key with the scope `apikeys.manage`, sent as `Authorization: Bearer`.",
  Destinations:
    "The service delivers new builds to your bucket, if the vendor allows it. Requires a key with the scope `apikeys.manage`, sent as `Authorization: Bearer`.",
  geoipupdate:
    "The protocol of MaxMind's updater geoipupdate, for MMDB files. Requires a key with the scope `db.download`. Errors carry a sentence, which geoipupdate prints.",
  Tables:
    "The protocol Delta Sharing, by which pandas, Spark, DuckDB, Power BI and other programs read the databases that your vendor shares as tables. Requires a key with the scope `db.download`, sent as `Authorization: Bearer`. Errors carry an `errorCode` and a `message`.",
  "Sign in":
    "For programs: get a key with a person's approval, instead of asking them to copy one. OAuth 2.1 for programs without a secret: the device flow, and the authorization code flow with PKCE. The access token is an ordinary key of the person's organization, which is listed and can be revoked like all others. Bodies are forms, and errors are OAuth's. No key required.",
  "Legacy v1":
    "For clients that predate v2. Requires a UUID key in the `apikey` parameter. Each key has its own list of database ids.",
  Console:
    "What the console in the browser uses to sign people in and show them their data. Requires the session cookie of a person who is signed in, whose role decides which endpoints respond. Programs use keys instead. Requests with a method other than `GET` must come from a page of the console: browsers say so in `Sec-Fetch-Site: same-origin` or in `Origin`, and without either the response is 403 `CROSS_ORIGIN`. Errors carry a `message` for people where one helps.",
  Documentation: "This reference, for people and programs, and the client. No key required.",
} as const;

/** Documentation of a route beyond what its row in the route table says. */
export interface Notes {
  operationId: string;
  tag: keyof typeof TAGS;
  /** A request to paste into a shell. Undefined for endpoints that only browsers call. */
  curl?: string;
  pathParameters?: Readonly<Record<string, string>>;
  requestHeaders?: readonly RequestHeader[];
  /** Present only if the route accepts a body. */
  request?: { description: string; example: unknown };
  /** Successful responses by status. Errors come from the route. */
  responses: Readonly<Record<string, ResponseNotes>>;
}

export interface ResponseNotes {
  description: string;
  headers?: readonly HeaderName[];
  /** An example of the route's response schema. */
  example?: unknown;
  /** Media types of files, instead of JSON or as an alternative to it. */
  files?: readonly string[];
}

/** Keyed by method and URL, as in the route table. */
export type NotesByRoute = Readonly<Record<string, Notes>>;
