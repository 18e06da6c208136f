import { DbdepotError, type ErrorKind } from "./errors.ts";
import type { Incoming } from "./transport/transport.ts";

const BY_CODE: Record<string, ErrorKind> = {
  NOT_LICENSED: "not_licensed",
  LICENSE_EXPIRED: "licence_expired",
  NOT_AVAILABLE: "not_available",
};
const BY_STATUS: Record<number, ErrorKind> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  409: "conflict",
  429: "rate_limited",
};
const RETRYABLE_STATUSES = [408, 429, 500, 502, 503, 504];

const MEANINGS: Partial<Record<ErrorKind, string>> = {
  unauthorized: "the service refuses the key",
  not_licensed: "there is no licence for this database",
  licence_expired: "the licence for this database has ended",
  forbidden: "the service does not allow this",
  not_found: "the service does not know this",
  conflict: "as things stand the service cannot do this",
  rate_limited: "the service asks for fewer requests",
  not_available: "no build is published yet, or the service cannot answer just now",
  bad_request: "the service does not accept the request",
  server: "the service failed",
};

/** The service's refusal as an error. Codes that are not known here are passed on, and judged by the status. */
export function refusal(answer: Incoming, body: string): DbdepotError {
  const { status } = answer;
  const rc = resultCode(body);
  const kind = kindOf(status, rc);
  return new DbdepotError(kind, `${MEANINGS[kind] ?? "the service refuses"} (${status}${rc ? ` ${rc}` : ""})`, {
    status,
    rc,
    requestId: answer.header("x-request-id"),
    retryable: RETRYABLE_STATUSES.includes(status),
    retryAfterMs: retryAfterMs(answer),
  });
}

/** Whatever the object storage answered that is not the file. */
export function storageRefusal(answer: Incoming, origin: string): DbdepotError {
  const { status } = answer;
  const link = status === 401 || status === 403 ? ": the link is not valid, or this machine's clock is wrong" : "";
  return new DbdepotError("storage", `the storage at ${origin} answers ${status}${link}`, {
    status,
    requestId: answer.header("x-request-id") ?? answer.header("x-amz-request-id"),
    retryable: RETRYABLE_STATUSES.includes(status),
    retryAfterMs: retryAfterMs(answer),
  });
}

function kindOf(status: number, rc: string | null): ErrorKind {
  const byCode = rc === null ? undefined : BY_CODE[rc];
  if (byCode) return byCode;
  return BY_STATUS[status] ?? (status >= 400 && status < 500 ? "bad_request" : "server");
}

function resultCode(body: string): string | null {
  try {
    const { rc } = JSON.parse(body) as { rc?: unknown };
    return typeof rc === "string" && /^[\w.-]{1,100}$/.test(rc) ? rc : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date (RFC 9110, 10.2.3). */
function retryAfterMs(answer: Incoming): number | null {
  const text = answer.header("retry-after")?.trim();
  if (!text) return null;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}
