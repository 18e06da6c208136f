import type { ERRORS } from "@dbdepot/contract/shared/errors";
import { withReadableTimes } from "../components/format.ts";
import { brand } from "./brand.ts";

type Code = keyof typeof ERRORS | "UNREACHABLE";

interface Failure {
  status: number;
  rc: string;
  /** The server's own explanation, if it gave one. */
  explanation?: string | undefined;
  /** Everything that is wrong, if the server found several faults. */
  faults?: string[] | undefined;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
}

/** A response other than 2xx. Its message is for people. */
export class ApiError extends Error {
  readonly status: number;
  readonly rc: string;
  readonly requestId: string | undefined;
  readonly faults: readonly string[];
  /** Whether the message is the server's own explanation. */
  readonly isExplained: boolean;

  constructor(failure: Failure) {
    super(describe(failure));
    this.status = failure.status;
    this.rc = failure.rc;
    this.requestId = failure.requestId;
    this.faults = failure.faults ?? [];
    this.isExplained = failure.explanation !== undefined;
  }
}

/** Replaces the message of an error with one that fits the form. */
export function rephrase(rc: Code, message: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof ApiError && error.rc === rc ? new Error(message) : error;
  };
}

export async function errorFrom(response: Response): Promise<ApiError> {
  const body: { rc?: string; message?: string; faults?: string[] } = await response.json().catch(() => ({}));
  const retryAfter = Number(response.headers.get("retry-after"));
  return new ApiError({
    status: response.status,
    rc: body.rc ?? `HTTP ${response.status}`,
    explanation: body.message,
    faults: body.faults,
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
    requestId: response.headers.get("x-request-id") ?? undefined,
  });
}

/** The message that every part of the console shows during an outage. */
export const UNREACHABLE = `${brand.name} cannot be reached`;

const MESSAGES: Partial<Record<Code, string>> = {
  UNREACHABLE: `${UNREACHABLE}. Check your connection and try again.`,
  INVALID_CREDENTIALS: "The e-mail address or the password is wrong.",
  INVALID_LINK: "This link has expired or was already used. Ask for a new one.",
  UNAUTHORIZED: "Your role doesn't allow this.",
  READ_ONLY_VIEW:
    "You are viewing this console as a customer, so you can't change or download anything. Leave the view first.",
  TOO_MANY_KEYS: "Your organization has reached its maximum number of keys. Revoke one first.",
  DELIVERIES_NOT_ALLOWED: "Deliveries are not allowed for this organization. Ask the vendor.",
  TOO_MANY_DESTINATIONS: "Your organization already has 5 destinations. Delete one first.",
  WAY_NOT_AVAILABLE: "The vendor can't be let into the bucket this way. Choose another access.",
  TOO_MANY_WEBHOOKS: "Your organization already has 20 webhooks. Delete one first.",
  INVALID_URL:
    "The URL must start with https://, must not contain a user name, a password or a fragment, and must not point to a private address.",
  KEY_REVOKED: "This key has been revoked and can't be changed any more.",
  NOT_FOUND: "This doesn't exist, or no longer does.",
  INTERNAL: "Something went wrong on the server.",
};

function describe({ status, rc, explanation, retryAfterSeconds, requestId }: Failure): string {
  if (status === 429) return `Too many attempts. Try again ${waitingTime(retryAfterSeconds ?? 60)}.`;
  const message = explanation
    ? sentence(withReadableTimes(explanation))
    : (MESSAGES[rc as Code] ?? `The server answered ${rc}.`);
  return status >= 500 && requestId ? `${message} Quote the request id ${requestId} when you report it.` : message;
}

function waitingTime(seconds: number): string {
  return seconds < 90 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
