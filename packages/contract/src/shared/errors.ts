import Type, { type Static } from "typebox";

/** Every error code with its HTTP status and its meaning for the caller. */
export const ERRORS = {
  ALREADY_CREATED: {
    status: 409,
    meaning: "A key was already created with this `Idempotency-Key`. The response contains its id.",
  },
  BAD_REQUEST: { status: 400, meaning: "The request is not valid HTTP." },
  BEYOND_EXPIRY: { status: 403, meaning: "The key to change expires later than the calling key, or never." },
  BUILD_GONE: {
    status: 410,
    meaning:
      "The build to compare with is no longer kept. `oldest_build_id` names the oldest build that is still available. Download the database in full.",
  },
  BYTES_USED_UP: {
    status: 429,
    meaning:
      "The file is larger than your organization's remaining bytes for this month. The limit resets after `Retry-After` seconds.",
  },
  CHANGES_PENDING: {
    status: 503,
    meaning:
      "The builds are still being compared, or too many requests for rows are running. Retry after `Retry-After` seconds.",
  },
  CONFLICT: {
    status: 409,
    meaning: "Operator API and console: the change conflicts with the current state. `message` says why.",
  },
  CROSS_ORIGIN: {
    status: 403,
    meaning: "Console: the request was sent by a page of another site. Repeat it from the console.",
  },
  DB_NOT_FOUND: { status: 404, meaning: "v1: the database file does not exist." },
  DELIVERIES_NOT_ALLOWED: {
    status: 403,
    meaning: "The vendor does not deliver builds to buckets of your organization. Ask the vendor to allow it.",
  },
  DOWNLOADS_USED_UP: {
    status: 429,
    meaning:
      "Your organization has used all its downloads for today. The limit resets after `Retry-After` seconds, at midnight UTC.",
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: "The request line and headers are larger than 16 KiB." },
  INTERNAL: { status: 500, meaning: "Unexpected server error. Quote the `X-Request-Id` when you report it." },
  INVALID_APIKEY: { status: 401, meaning: "v1: the key is missing or not recognized." },
  INVALID_CREDENTIALS: { status: 401, meaning: "Console: the e-mail address or the password is wrong." },
  INVALID_FORMAT: {
    status: 400,
    meaning: "The format is missing or unknown, or the database is not built in this format or has no sample in it.",
  },
  INVALID_ID: { status: 400, meaning: "v1: the id is missing or malformed." },
  INVALID_LINK: {
    status: 410,
    meaning: "Console: the link does not exist, has been used or has expired. Ask for a new one.",
  },
  INVALID_REQUEST: {
    status: 400,
    meaning: "The request body is not valid JSON, or a field or parameter is invalid or unknown.",
  },
  INVALID_URL: {
    status: 400,
    meaning:
      "The URL of a webhook or the endpoint of a destination must start with `https://`, have no user name, password or fragment, and not point to a private address.",
  },
  KEY_REVOKED: { status: 409, meaning: "The key has been revoked and can no longer be changed." },
  LICENSE_EXPIRED: {
    status: 403,
    meaning: "Your organization's licence for this database has ended. Renew it to continue.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: "This endpoint does not support the request method. `Allow` lists the ones it does.",
  },
  NOT_AVAILABLE: {
    status: 503,
    meaning:
      "No build has been published yet, or the service is temporarily unavailable. Retry after `Retry-After` seconds.",
  },
  NOT_COMPARABLE: {
    status: 409,
    meaning: "The builds cannot be compared. The same request without `rows` says why.",
  },
  NOT_FOUND: { status: 404, meaning: "The requested URL does not exist." },
  NOT_LICENSED: { status: 403, meaning: "Your organization has no licence for this database." },
  NOT_SIGNED: {
    status: 404,
    meaning:
      "The service does not sign its builds, has no manifest with this sequence number, or issues no statements of freshness.",
  },
  OUTSIDE_CIDRS: {
    status: 403,
    meaning: "The key to change allows addresses that the calling key does not.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    meaning: "The file does not match `If-Match` or `If-Unmodified-Since`.",
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    meaning: "The requested range is outside the file. `Content-Range` contains its size.",
  },
  RATE_LIMITED: { status: 429, meaning: "Too many requests. Retry after `Retry-After` seconds." },
  READ_ONLY_VIEW: {
    status: 403,
    meaning: "Console: an operator who views the console as a customer cannot change or download anything.",
  },
  REQUEST_TIMEOUT: { status: 408, meaning: "The request did not arrive in time." },
  TERMS_NOT_ACCEPTED: {
    status: 403,
    meaning:
      "Your licence for this database requires your organization to accept terms, which it has not done yet. An admin can accept them in the console, under Terms.",
  },
  TOO_LARGE: { status: 413, meaning: "The request body is too large." },
  TOO_MANY_DESTINATIONS: {
    status: 409,
    meaning: "The organization already has 5 destinations. Delete one first.",
  },
  TOO_MANY_KEYS: {
    status: 409,
    meaning: "The organization has reached its maximum number of live keys. Revoke one first.",
  },
  TOO_MANY_STREAMS: {
    status: 429,
    meaning:
      "The service is already sending your organization as many files as its limit allows. Retry after `Retry-After` seconds, or follow the link instead of `delivery=stream`.",
  },
  TOO_MANY_WEBHOOKS: {
    status: 409,
    meaning: "The organization already has 20 webhooks. Delete one first.",
  },
  UNAUTHORIZED: {
    status: 401,
    meaning:
      "The key is missing or invalid, lacks the required scope, or belongs to no organization. In the console: you are not signed in, or your role does not allow the request.",
  },
  UNAUTHORIZED_ID: { status: 403, meaning: "v1: the key is not authorized for the requested id." },
  UNKNOWN_BUILD: { status: 404, meaning: "The build does not exist or is no longer kept." },
  UNKNOWN_DATASET: { status: 404, meaning: "No such database." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "The request body must be `application/json`." },
  VERSION_GONE: {
    status: 410,
    meaning:
      "Delta Sharing: the version of the table, or the changes to it, are no longer kept. `message` names the oldest version to start from.",
  },
  WAY_NOT_AVAILABLE: {
    status: 409,
    meaning:
      "The service cannot be let into the bucket this way: the vendor has no identity for it, or stores no access keys. The list of destinations says which ways there are.",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

export const ErrorBody = Type.Object(
  {
    rc: Type.String({
      description: "A machine-readable error code. Clients must tolerate unknown codes.",
      examples: ["UNAUTHORIZED"],
    }),
  },
  { title: "ErrorBody", additionalProperties: false, description: "An error." },
);
export type ErrorBody = Static<typeof ErrorBody>;

/** The console shows errors to people, so these carry a sentence next to the code. */
export const ExplainedError = Type.Object(
  {
    ...ErrorBody.properties,
    message: Type.Optional(
      Type.String({ description: "What is wrong, in a sentence.", examples: ["there is no account with this id"] }),
    ),
  },
  { title: "ExplainedError", additionalProperties: false, description: "An error with an explanation for people." },
);
