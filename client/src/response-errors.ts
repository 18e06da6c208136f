import { DbdepotError, type ErrorKind } from "./errors.ts";
import type { HttpResponse } from "./http/http.ts";

const KIND_BY_CODE: Record<string, ErrorKind> = {
  NOT_LICENSED: "not_licensed",
  LICENSE_EXPIRED: "licence_expired",
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
const RETRYABLE_STATUSES = [408, 429, 500, 502, 503, 504];

const MESSAGES: Partial<Record<ErrorKind, string>> = {
  unauthorized: "the service refused the key",
  not_licensed: "your organization has no licence for this database",
  licence_expired: "your licence for this database has expired",
  forbidden: "the service does not allow this",
  not_found: "not found",
  conflict: "the service cannot do this in its current state",
  rate_limited: "too many requests",
  not_available: "no build is published yet, or the service is temporarily unavailable",
  bad_request: "the service rejected the request",
  server: "the service failed",
};

/** An error for a response of the service. Unknown result codes are passed on; the status decides the kind. */
export function serviceError(response: HttpResponse, body: string): DbdepotError {
  const { status } = response;
  const rc = resultCode(body);
  const kind = kindOf(status, rc);
  return new DbdepotError(kind, `${MESSAGES[kind] ?? "the service refused"} (${status}${rc ? ` ${rc}` : ""})`, {
    status,
    rc,
    requestId: response.header("x-request-id"),
    retryable: RETRYABLE_STATUSES.includes(status),
    retryAfterMs: retryAfterMs(response),
  });
}

/** An error for a response of the object storage that is not the file. */
export function storageError(response: HttpResponse, origin: string): DbdepotError {
  const { status } = response;
  const reason = status === 401 || status === 403 ? ": the link is invalid, or this machine's clock is wrong" : "";
  return new DbdepotError("storage", `the storage at ${origin} answered ${status}${reason}`, {
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

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(response: HttpResponse): number | null {
  const text = response.header("retry-after")?.trim();
  if (!text) return null;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
