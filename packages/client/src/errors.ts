/**
 * The kind of failure, as a value to branch on. `network` and `timeout`: the connection failed. `aborted`: your signal.
 * `unauthorized`, `not_licensed`, `licence_expired`, `terms_not_accepted`, `forbidden`, `not_found`, `bad_request`,
 * `conflict`, `rate_limited`, `not_available` and `server`: the service refused or failed. `storage`: the object
 * storage refused or failed. `corrupt`: the file does not match its checksum or cannot be read. `untrusted`: a
 * signature is missing or wrong, or an old build was offered as new. `stale`: nothing proves that the build
 * is the newest one. `disk`: the file could not be written.
 * `invalid_webhook`: the request to a webhook is not from the service.
 */
export type ErrorKind =
  | "network"
  | "timeout"
  | "aborted"
  | "unauthorized"
  | "not_licensed"
  | "licence_expired"
  | "terms_not_accepted"
  | "forbidden"
  | "not_found"
  | "bad_request"
  | "conflict"
  | "rate_limited"
  | "not_available"
  | "server"
  | "storage"
  | "corrupt"
  | "untrusted"
  | "stale"
  | "disk"
  | "invalid_webhook";

interface Details {
  status?: number;
  rc?: string | null;
  authError?: string | null;
  requestId?: string | null;
  retryable?: boolean;
  retryAfterMs?: number | null;
  code?: string | null;
}

/** Every error this library throws. It never contains a key or a working link. */
export class DbdepotError extends Error {
  readonly kind: ErrorKind;
  /** The HTTP status, or null if there was no response. */
  readonly status: number | null;
  /** The service's result code. New codes may appear at any time: branch on `kind`. */
  readonly rc: string | null;
  /** Why a key was refused, such as `insufficient_scope` or `invalid_token` (RFC 6750), if the service says so. */
  readonly authError: string | null;
  /** Quote this when you contact your vendor. */
  readonly requestId: string | null;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the service asks callers to wait. */
  readonly retryAfterMs: number | null;
  /** The operating system's error code, such as ECONNREFUSED or ENOSPC. */
  readonly code: string | null;

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message);
    this.name = "DbdepotError";
    this.kind = kind;
    this.status = details.status ?? null;
    this.rc = details.rc ?? null;
    this.authError = details.authError ?? null;
    this.requestId = details.requestId ?? null;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.code = details.code ?? null;
  }
}

/** Whether the service refused a request because a licence is missing, has ended or has terms that are not accepted. */
export function isLicenceRefusal(error: unknown): boolean {
  return (
    error instanceof DbdepotError && ["not_licensed", "licence_expired", "terms_not_accepted"].includes(error.kind)
  );
}

export function abortedError(): DbdepotError {
  return new DbdepotError("aborted", "aborted");
}

/** `where` is a host or an origin, never a whole URL: a query may contain a link's signature. */
export function timeoutError(where: string, timeoutMs: number): DbdepotError {
  return new DbdepotError("timeout", `${where} sent nothing for ${timeoutMs / 1000} s`, { retryable: true });
}

/** The original error is not kept as the cause: a custom fetch may put the request, and the key, into its errors. */
export function networkError(where: string, error: unknown): DbdepotError {
  if (error instanceof DbdepotError) return error;
  const code = systemCode(error);
  if (code === "UND_ERR_SOCKET") return connectionClosedError(where);
  const reason = code === null ? "" : `: ${explained(code)}`;
  const kind = code === "UND_ERR_CONNECT_TIMEOUT" ? "timeout" : "network";
  return new DbdepotError(kind, `cannot reach ${where}${reason}`, { code, retryable: !isTlsFailure(code) });
}

export function connectionClosedError(where: string): DbdepotError {
  return new DbdepotError("network", `${where} closed the connection`, { code: "ECONNRESET", retryable: true });
}

/** Finds the code in the error, in its cause (fetch) or in its list of errors (if several addresses were tried). */
export function systemCode(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === "string" && code !== "") return code;
  return systemCode(cause ?? errors?.[0]);
}

const CONNECT_FAILURES: Record<string, string> = {
  ENOTFOUND: "unknown host name",
  EAI_AGAIN: "the DNS lookup failed",
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "the network is unreachable",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
};

const NOT_TLS = "the server does not use TLS on this port; use http:// or another port";

/** Retrying does not help. */
const TLS_FAILURES: Record<string, string> = {
  ERR_SSL_WRONG_VERSION_NUMBER: NOT_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NOT_TLS,
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate was issued by an authority that this machine does not trust",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate was issued by an authority that this machine does not trust",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate was issued by an authority that this machine does not trust",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

const OTHER_FAILURES: Record<string, string> = {
  ECONNRESET: "the connection was closed",
  EPROTO: "the TLS handshake failed",
  ETIMEDOUT: "the connection timed out",
};

export function isTlsFailure(code: string | null): boolean {
  return code !== null && code in TLS_FAILURES;
}

/** Whether the connection was never established, so that the request cannot have been processed. */
export function isConnectFailure(error: unknown): boolean {
  return (systemCode(error) ?? "") in CONNECT_FAILURES;
}

function explained(code: string): string {
  const meaning = CONNECT_FAILURES[code] ?? TLS_FAILURES[code] ?? OTHER_FAILURES[code];
  return meaning ? `${meaning} (${code})` : code;
}
