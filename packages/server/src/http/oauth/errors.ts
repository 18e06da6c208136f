import type { OAuthError, OAuthErrorCode } from "@dbdepot/contract/oauth/oauth";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import type { TLocalizedValidationError } from "typebox/error";
import { inWords } from "../schema-faults.ts";

/** OAuth's names for the errors that every endpoint can have. */
const NAMES: Partial<Record<ErrorCode, OAuthErrorCode>> = {
  INTERNAL: "server_error",
  NOT_AVAILABLE: "temporarily_unavailable",
  RATE_LIMITED: "slow_down",
};

const DESCRIPTIONS: Partial<Record<ErrorCode, string>> = {
  INVALID_REQUEST: "A parameter is missing, too long or repeated.",
  UNSUPPORTED_MEDIA_TYPE: "The body must be application/x-www-form-urlencoded.",
};

/** The body of an error for programs that speak OAuth. */
export function oauthError(code: ErrorCode): OAuthError {
  return { error: NAMES[code] ?? "invalid_request", error_description: DESCRIPTIONS[code] ?? ERRORS[code].meaning };
}

/** The status is 400 for every refusal, as RFC 6749 demands. */
export function refuse(reply: FastifyReply, error: OAuthErrorCode, description: string): FastifyReply {
  const body: OAuthError = { error, error_description: description };
  return reply.code(400).header("cache-control", "no-store").send(body);
}

/** Says which parameter is wrong. Rethrows all other errors. */
export function explainParameters(error: unknown, reply: FastifyReply): FastifyReply {
  const { validation } = error as { validation?: TLocalizedValidationError[] };
  if (validation) return refuse(reply, "invalid_request", inWords(validation));
  throw error;
}

export function slowDown(reply: FastifyReply, waitSeconds: number): FastifyReply {
  return reply
    .code(429)
    .header("retry-after", String(waitSeconds))
    .header("cache-control", "no-store")
    .send({ error: "slow_down", error_description: `Too many requests: wait ${waitSeconds} s.` } satisfies OAuthError);
}
