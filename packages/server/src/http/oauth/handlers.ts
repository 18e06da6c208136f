import {
  type DeviceAuthorization,
  type DeviceAuthorizationRequest,
  GRANT_TYPES,
  type OAuthErrorCode,
  type RevokeTokenRequest,
  type TokenRequest,
  type TokenResponse,
} from "@dbdepot/contract/oauth/oauth";
import type { FastifyReply } from "fastify";
import { requestedScopes } from "../../domain/programs/approval.ts";
import { exchangeCode } from "../../domain/programs/authorization-codes.ts";
import { type PollProblem, pollDeviceRequest, startDeviceRequest } from "../../domain/programs/device-requests.ts";
import type { Program } from "../../domain/programs/program.ts";
import { DEVICE_REQUEST_SECONDS, POLL_INTERVAL_SECONDS } from "../../domain/programs/program-key.ts";
import {
  type IssuedProgramKey,
  refreshProgramKey,
  revokeProgramKey,
  type TokenRefusal,
} from "../../domain/programs/program-keys.ts";
import { Fault } from "../../platform/primitives/faults.ts";
import type { RequestContext } from "../route.ts";
import { refuse, slowDown } from "./errors.ts";
import { metadataOf } from "./metadata.ts";
import { hostName, isForeignResource, NO_KNOWN_SCOPE } from "./parameters.ts";

/** OAuth cannot express a key without an end, which only an admin can give it. */
const ENDLESS_SECONDS = 365 * 24 * 60 * 60;

const UNKNOWN_PROGRAM = "The service knows no program with this client_id.";

/** Says how programs can sign in. */
export function authorizationServer({ services, reply }: RequestContext): FastifyReply {
  const body = metadataOf(services.console.publicUrl());
  return reply.header("cache-control", "public, max-age=3600").send(body);
}

/** Begins the device flow. */
export async function authorizeDevice({ services, request, reply, now }: RequestContext): Promise<FastifyReply> {
  const { store, programs, console, metrics } = services;
  const { client_id, scope, resource, device_name } = request.body as DeviceAuthorizationRequest;
  const address = request.clientAddress;
  const wait = programs.limits.requests.take(address, now.getTime());
  if (wait > 0) return slowDown(reply, wait);
  const program = programs.known.get(client_id);
  if (!program) return refuse(reply, "invalid_client", UNKNOWN_PROGRAM);
  if (isForeignResource(resource, console.publicUrl())) {
    return refuse(reply, "invalid_target", `resource must be ${console.publicUrl()} or empty.`);
  }
  const scopes = requestedScopes(program, scope);
  if (!scopes) return refuse(reply, "invalid_scope", NO_KNOWN_SCOPE);
  const requested = { programId: program.id, scopes, host: hostName(device_name), address };
  const { deviceCode, userCode } = await startDeviceRequest({ store, now }, requested);
  metrics.programs.inc({ event: "requested" });
  const page = `${console.publicUrl()}/console/device`;
  const body: DeviceAuthorization = {
    device_code: deviceCode.reveal(),
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: DEVICE_REQUEST_SECONDS,
    interval: POLL_INTERVAL_SECONDS,
  };
  return reply.header("cache-control", "no-store").send(body);
}

/** Exchanges a code or a refresh token for a key. */
export async function token(context: RequestContext): Promise<FastifyReply> {
  const { services, request, reply, now } = context;
  const { programs, metrics } = services;
  const body = request.body as TokenRequest;
  const { tokens } = programs.limits;
  const wait = tokens.take(request.clientAddress, now.getTime());
  if (wait > 0) return slowDown(reply, wait);
  const program = programs.known.get(body.client_id);
  if (!program) return refuse(reply, "invalid_client", UNKNOWN_PROGRAM);
  if (!(GRANT_TYPES as readonly string[]).includes(body.grant_type)) {
    return refuse(reply, "unsupported_grant_type", `grant_type must be one of ${GRANT_TYPES.join(", ")}.`);
  }
  const missing = missingParameter(body);
  if (missing) return refuse(reply, "invalid_request", `${missing} is missing.`);
  const result = await exchange(context, program, body);
  if (result instanceof Fault) return refuse(reply, "invalid_grant", result.message);
  if (typeof result === "string") {
    // A program that waits polls a code that exists, which is not a guess.
    if (result === "pending" || result === "too_soon") tokens.give(request.clientAddress);
    if (result === "reused") metrics.programs.inc({ event: "reused" });
    return refuse(reply, ...REFUSALS[result]);
  }
  tokens.give(request.clientAddress);
  const isFirst = body.grant_type !== "refresh_token";
  metrics.programs.inc({ event: isFirst ? "issued" : "refreshed" });
  return reply
    .header("cache-control", "no-store")
    .header("pragma", "no-cache")
    .send(tokenResponse(result, isFirst, now));
}

/** Revokes the key of a program. The response is the same for every token, so that it does not reveal which ones exist (RFC 7009). */
export async function revoke({ services, request, reply, now }: RequestContext): Promise<FastifyReply> {
  const { store, rules, programs, metrics } = services;
  const { token = "", client_id = "" } = request.body as RevokeTokenRequest;
  if (token === "") return refuse(reply, "invalid_request", "token is missing.");
  const program = programs.known.get(client_id);
  if (program && (await revokeProgramKey({ store, rules, now }, program, token))) {
    metrics.programs.inc({ event: "revoked" });
  }
  return reply.header("cache-control", "no-store").send({});
}

/** The only fault is that the organization has too many keys. */
async function exchange(
  { services, now }: RequestContext,
  program: Program,
  body: TokenRequest,
): Promise<IssuedProgramKey | PollProblem | TokenRefusal | Fault> {
  const { store, rules } = services;
  const operation = { store, rules, now };
  const { device_code = "", refresh_token = "", code = "", redirect_uri = "", code_verifier = "" } = body;
  try {
    if (body.grant_type === "refresh_token") return await refreshProgramKey(operation, program, refresh_token);
    if (body.grant_type !== "authorization_code") return await pollDeviceRequest(operation, program, device_code);
    return await exchangeCode(operation, program, { code, redirect: redirect_uri, verifier: code_verifier });
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function missingParameter(body: TokenRequest): string | undefined {
  const needed = {
    refresh_token: ["refresh_token"],
    authorization_code: ["code", "redirect_uri", "code_verifier"],
  } as const;
  const names = needed[body.grant_type as keyof typeof needed] ?? (["device_code"] as const);
  return names.find((name) => !body[name]);
}

const REFUSALS: Record<PollProblem | TokenRefusal, [OAuthErrorCode, string]> = {
  pending: ["authorization_pending", "The request has not been approved yet."],
  too_soon: ["slow_down", `Wait at least ${POLL_INTERVAL_SECONDS} s between two polls.`],
  denied: ["access_denied", "The request was denied."],
  expired: ["expired_token", "The code is unknown, has expired or was already used: start again."],
  invalid: ["invalid_grant", "The code or token is unknown, has expired or was revoked: sign in again."],
  reused: ["invalid_grant", "The code or token was used before, so the sign-in was ended: sign in again."],
};

function tokenResponse({ key, plain, refreshToken }: IssuedProgramKey, isFirst: boolean, now: Date): TokenResponse {
  const secret = plain.reveal();
  return {
    access_token: secret,
    token_type: "Bearer",
    expires_in: key.expires ? Math.floor((key.expires.getTime() - now.getTime()) / 1000) : ENDLESS_SECONDS,
    refresh_token: refreshToken.reveal(),
    scope: key.scopes.join(" "),
    ...(isFirst && { "mslm:apikey": secret }),
    "mslm:apikey_id": key.id,
  };
}
