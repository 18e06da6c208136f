import Type, { type Static } from "typebox";

/** Every result code of an error, with its status and what it means to the caller. */
export const ERRORS = {
  ALREADY_CREATED: {
    status: 409,
    meaning: "A key was already created with this Idempotency-Key; its id is in the answer.",
  },
  BAD_REQUEST: { status: 400, meaning: "The request is not HTTP that this service understands." },
  CONFLICT: { status: 409, meaning: "Operators: as things stand the change cannot be made; `message` tells why." },
  DB_NOT_FOUND: { status: 404, meaning: "v1: the database file does not exist." },
  HEADERS_TOO_LARGE: { status: 431, meaning: "The request line and headers are larger than 16 KiB." },
  INTERNAL: { status: 500, meaning: "Something went wrong here; the request id helps us to find it." },
  INVALID_APIKEY: { status: 401, meaning: "v1: the key is missing or not recognized." },
  INVALID_FORMAT: { status: 400, meaning: "The format is missing or unknown, or the database is not built in it." },
  INVALID_ID: { status: 400, meaning: "v1: the id is missing or malformed." },
  INVALID_REQUEST: { status: 400, meaning: "The body is not JSON, or a field is wrong or unknown." },
  KEY_REVOKED: { status: 409, meaning: "The key was revoked, and nothing about it can be changed any more." },
  LICENSE_EXPIRED: { status: 403, meaning: "The licence's term has ended: renew it." },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "This address takes other methods; `Allow` lists them." },
  NOT_AVAILABLE: {
    status: 503,
    meaning: "No build is published yet, or the service cannot answer just now: try again later.",
  },
  NOT_FOUND: { status: 404, meaning: "There is nothing at this address." },
  NOT_LICENSED: { status: 403, meaning: "Your organization holds no licence for this database: buy it." },
  OUTSIDE_CIDRS: {
    status: 403,
    meaning: "The key to be changed works from addresses that your own key is not allowed to use.",
  },
  PRECONDITION_FAILED: {
    status: 412,
    meaning: "The file is not the one that `If-Match` or `If-Unmodified-Since` names.",
  },
  RANGE_NOT_SATISFIABLE: { status: 416, meaning: "The file has no such range; `Content-Range` tells its size." },
  RATE_LIMITED: { status: 429, meaning: "Too many requests: wait as long as `Retry-After` says." },
  REQUEST_TIMEOUT: { status: 408, meaning: "The request did not arrive in time." },
  TOO_LARGE: { status: 413, meaning: "The body is larger than this service takes." },
  UNAUTHORIZED: {
    status: 401,
    meaning: "The key is missing, invalid, lacks the scope, or belongs to no organization.",
  },
  UNAUTHORIZED_ID: { status: 403, meaning: "v1: the key is not authorized for this id." },
  UNKNOWN_BUILD: { status: 404, meaning: "This build does not exist, or is no longer kept." },
  UNKNOWN_DATASET: { status: 404, meaning: "There is no such database." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: "The body must be `application/json`." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

export const ErrorBody = Type.Object(
  {
    rc: Type.String({
      description: "A machine-readable code. Tolerate codes that you do not know.",
      examples: ["UNAUTHORIZED"],
    }),
  },
  { title: "ErrorBody", additionalProperties: false, description: "What went wrong." },
);
export type ErrorBody = Static<typeof ErrorBody>;
