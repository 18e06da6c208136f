import { DbdepotError, type ErrorKind } from "../errors.ts";
import type { HttpResponse } from "../http/http.ts";

const KIND_BY_CODE: Record<string, ErrorKind> = {
  NOT_LICENSED: "not_licensed",
  LICENSE_EXPIRED: "licence_expired",
  TERMS_NOT_ACCEPTED: "terms_not_accepted",
  NOT_AVAILABLE: "not_available",
};
const KIND_BY_STATUS: Record<number, ErrorKind> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  409: "conflict",
  429: "rate_limited",
};
/** Sent by a proxy, never by the service. */
export const PROXY_REFUSED =
  "the proxy requires a user name and a password: put them into the proxy's URL, as in HTTPS_PROXY=http://user:password@proxy.example:3128";

const RETRYABLE_STATUSES = [408, 429, 500, 502, 503, 504];

const MESSAGES: Partial<Record<ErrorKind, string>> = {
  unauthorized: "the service refused the key",
  not_licensed: "your organization has no licence for this database",
  licence_expired: "your licence for this database has expired",
  terms_not_accepted: "your organization has not accepted the terms of its licence for this database",
  forbidden: "the service does not allow this",
  not_found: "not found",
  conflict: "the request conflicts with the current state",
  rate_limited: "too many requests",
  not_available: "no build is published yet, or the service is temporarily unavailable",
  bad_request: "the service rejected the request",
  server: "the service failed",
};

/** Messages for codes that are more specific than their kind. */
const MESSAGES_BY_CODE: Record<string, string> = {
  BUILD_GONE: "the build to compare with is no longer kept",
  BYTES_USED_UP: "the file is larger than your organization's remaining bytes for this month",
  CHANGES_PENDING: "the builds are still being compared",
  DOWNLOADS_USED_UP: "your organization has used all its downloads for today",
  INVALID_FORMAT: "the database is not available in this format",
  INVALID_REQUEST: "a field of the request is invalid or unknown",
  DELIVERIES_NOT_ALLOWED: "the vendor does not deliver builds to buckets of your organization",
  INVALID_URL:
    "the URL of a webhook or the endpoint of a bucket must start with https:// and must not point to a private address",
  MIRROR_ADDRESS: "the mirror answers private addresses only",
  MIRROR_TOKEN: "the mirror asks for a token, and does not know this one",
  KEY_REVOKED: "the key has been revoked and can no longer be changed",
  NOT_COMPARABLE: "the builds cannot be compared",
  NOT_FOUND: "the service has no such URL",
  OUTSIDE_CIDRS: "the key may be used from networks that your own key may not be used from",
  TOO_MANY_KEYS: "your organization has reached its maximum number of keys",
  TOO_MANY_STREAMS: "the service is already sending your organization as many files as its limit allows",
  TOO_MANY_DESTINATIONS: "your organization already has 5 destinations",
  WAY_NOT_AVAILABLE: "the service cannot be let into the bucket this way",
  TOO_MANY_WEBHOOKS: "your organization already has 20 webhooks",
  UNKNOWN_BUILD: "the build does not exist or is no longer kept",
  UNKNOWN_DATASET: "the service has no database with this id",
};

/**
 * An error for a response from the service. Unknown result codes are kept; their status determines the kind. With
 * `baseUrl`, it can say where in the console to solve the problem.
 */
export function serviceError(response: HttpResponse, body: string, baseUrl?: string): DbdepotError {
  const { status } = response;
  const rc = resultCode(body);
  const kind = kindOf(status, rc);
  // A mirror sends a challenge, too, but knows nothing of keys.
  const isKey = kind === "unauthorized" && rc !== "MIRROR_TOKEN";
  const challenge = isKey ? parseChallenge(response.header("www-authenticate")) : undefined;
  const message =
    (status === 407 ? PROXY_REFUSED : challenge?.message) ??
    MESSAGES_BY_CODE[rc ?? ""] ??
    MESSAGES[kind] ??
    "the service refused";
  const oldest = /"oldest_build_id":"([0-9a-f-]{36})"/.exec(rc === "BUILD_GONE" ? body : "")?.[1];
  const isUsedUp = USED_UP.includes(rc ?? "");
  const page = baseUrl === undefined ? "in the console" : `at ${baseUrl}/console/terms`;
  const more = [
    oldest !== undefined && `; the oldest is ${oldest}`,
    isUsedUp && untilText(requestedWaitMs(response)),
    kind === "terms_not_accepted" && `; an admin can accept them ${page}`,
  ].find((text) => text !== false);
  return new DbdepotError(kind, `${message}${more ?? ""} (${status}${rc ? ` ${rc}` : ""})`, {
    status,
    rc,
    authError: challenge?.error ?? null,
    requestId: response.header("x-request-id"),
    retryable: RETRYABLE_STATUSES.includes(status) && !isUsedUp,
    retryAfterMs: retryAfterMs(response),
  });
}

/** Limits that reset at the end of the day or month. Waiting for that is up to the caller. */
const USED_UP = ["DOWNLOADS_USED_UP", "BYTES_USED_UP"];
const MONTH_MS = 31 * 24 * 3_600_000;

/** Rounded to minutes, because the clocks of both sides differ by seconds. */
function untilText(waitMs: number | null): string {
  if (waitMs === null || waitMs > MONTH_MS) return "";
  const until = new Date(Math.round((Date.now() + waitMs) / 60_000) * 60_000);
  return `; the limit resets at ${until.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** Reads why the key was refused from `WWW-Authenticate: Bearer` (RFC 6750, section 3). */
function parseChallenge(header: string | null): { error: string | null; message: string } | undefined {
  if (!header || !/^bearer\b/i.test(header)) return undefined;
  const error = parameter(header, "error");
  if (error === null) return { error, message: "the service received no key; a proxy may have removed it" };
  if (error === "insufficient_scope") {
    const scope = parameter(header, "scope");
    return { error, message: `the key does not have the scope ${scope ?? "that this request needs"}` };
  }
  if (error === "invalid_token") {
    return { error, message: "the key is mistyped, revoked or expired, or may not be used from this address" };
  }
  return { error, message: `the service refused the key: ${error}` };
}

function parameter(header: string, name: string): string | null {
  return new RegExp(`[\\s,]${name}="([\\w. -]{1,100})"`, "i").exec(header)?.[1] ?? null;
}

/** An error for a response from the object storage. */
export function storageError(response: HttpResponse, origin: string): DbdepotError {
  const { status } = response;
  const reason = status === 401 || status === 403 ? ": the link is invalid, or this machine's clock is wrong" : "";
  return new DbdepotError("storage", `the storage at ${origin} returned ${status}${reason}`, {
    status,
    requestId: response.header("x-request-id") ?? response.header("x-amz-request-id"),
    retryable: RETRYABLE_STATUSES.includes(status),
    retryAfterMs: retryAfterMs(response),
  });
}

function kindOf(status: number, rc: string | null): ErrorKind {
  const byCode = rc === null ? undefined : KIND_BY_CODE[rc];
  if (byCode) return byCode;
  return KIND_BY_STATUS[status] ?? (status >= 400 && status < 500 ? "bad_request" : "server");
}

function resultCode(body: string): string | null {
  try {
    const { rc } = JSON.parse(body) as { rc?: unknown };
    return typeof rc === "string" && /^[\w.-]{1,100}$/.test(rc) ? rc : null;
  } catch {
    return null;
  }
}

/** Timers fire at once if they are asked to wait for more than 24 days. */
const RETRY_AFTER_MAX_MS = 24 * 3_600_000;

function retryAfterMs(response: HttpResponse): number | null {
  const waitMs = requestedWaitMs(response);
  return waitMs === null ? null : Math.min(waitMs, RETRY_AFTER_MAX_MS);
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function requestedWaitMs(response: HttpResponse): number | null {
  const text = response.header("retry-after")?.trim();
  if (!text) return null;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
