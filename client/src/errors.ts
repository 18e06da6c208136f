/**
 * What went wrong, in a word to decide by:
 * `network` and `timeout` on the way, `aborted` by your signal; `unauthorized`, `not_licensed`, `licence_expired`,
 * `forbidden`, `not_found`, `bad_request`, `conflict`, `rate_limited`, `not_available` and `server` are the service's
 * answers; `storage` is the object storage's; `corrupt` is a file that is not what the service says it is; `disk` is
 * the place that it should go to.
 */
export type ErrorKind =
  | "network"
  | "timeout"
  | "aborted"
  | "unauthorized"
  | "not_licensed"
  | "licence_expired"
  | "forbidden"
  | "not_found"
  | "bad_request"
  | "conflict"
  | "rate_limited"
  | "not_available"
  | "server"
  | "storage"
  | "corrupt"
  | "disk";

interface Details {
  status?: number;
  rc?: string | null;
  requestId?: string | null;
  retryable?: boolean;
  retryAfterMs?: number | null;
  code?: string | null;
}

/** The one error of this library. It never holds a key, nor a link that works. */
export class DbdepotError extends Error {
  readonly kind: ErrorKind;
  /** The HTTP status; null where there was no answer. */
  readonly status: number | null;
  /** The service's result code. New ones may come: decide by `kind`. */
  readonly rc: string | null;
  /** To quote when you ask your vendor. */
  readonly requestId: string | null;
  /** Whether the same call may succeed later, with nothing changed. */
  readonly retryable: boolean;
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | null;
  /** The system's own code, like ECONNREFUSED or ENOSPC. */
  readonly code: string | null;

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message);
    this.name = "DbdepotError";
    this.kind = kind;
    this.status = details.status ?? null;
    this.rc = details.rc ?? null;
    this.requestId = details.requestId ?? null;
    this.retryable = details.retryable ?? false;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.code = details.code ?? null;
  }
}

export function abortedError(): DbdepotError {
  return new DbdepotError("aborted", "it was aborted");
}

/** `where` is a host or an address without its query: a query may hold a link's signature. */
export function timeoutError(where: string, timeoutMs: number): DbdepotError {
  return new DbdepotError("timeout", `${where} sent nothing for ${timeoutMs / 1000} s`, { retryable: true });
}

/**
 * A fault on the way. What was thrown is not kept as the cause: a custom fetch may put the request, and with it the
 * key, into its errors.
 */
export function networkError(where: string, error: unknown): DbdepotError {
  if (error instanceof DbdepotError) return error;
  const code = systemCode(error);
  return new DbdepotError("network", `${where} cannot be reached${code ? `: ${explained(code)}` : ""}`, {
    code,
    retryable: true,
  });
}

export function cutOffError(where: string): DbdepotError {
  return new DbdepotError("network", `the connection to ${where} was cut off`, { code: "ECONNRESET", retryable: true });
}

/** The code of a system error; fetch wraps it as a cause, and trying several addresses as a list. */
export function systemCode(error: unknown): string | null {
  if (typeof error !== "object" || error === null) return null;
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown[] };
  if (typeof code === "string" && code !== "") return code;
  return systemCode(cause ?? errors?.[0]);
}

const EXPLANATIONS: Record<string, string> = {
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name cannot be looked up just now",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut off",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is from an authority that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is from an authority that is not trusted here",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

function explained(code: string): string {
  const meaning = EXPLANATIONS[code];
  return meaning ? `${meaning} (${code})` : code;
}
