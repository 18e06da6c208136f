import { CUSTOMER_ROLES, ROLES } from "@dbdepot/contract/console/accounts";
import {
  ApproveProgramRequest,
  ProgramDecided,
  ProgramQuestion,
  ProgramRequest,
} from "@dbdepot/contract/console/programs";
import type { CustomerScope } from "@dbdepot/contract/shared/scopes";
import type { FastifyReply } from "fastify";
import type { Static } from "typebox";
import { grantableScopes } from "../../domain/programs/approval.ts";
import { approveAuthorization, approveDevice, denyDevice } from "../../domain/programs/decisions.ts";
import { findWaiting } from "../../domain/programs/device-requests.ts";
import type { RequestedAccess } from "../../domain/programs/program-key.ts";
import { Fault, invalid, notFound } from "../../platform/primitives/faults.ts";
import { endpoint, type PersonContext } from "../endpoint.ts";
import { type AuthorizationRequest, checkAuthorization, decodeQuery } from "../oauth/authorize.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { networkOf } from "../token-buckets.ts";

type Scopes = Static<typeof CustomerScope>[];

export const PROGRAM_ROUTES = [
  endpoint({
    method: "POST",
    url: "/api/console/sign-ins/inspect",
    scope: "account",
    roles: ROLES,
    respond: inspectProgram,
    summary: "Show a program that asks to be signed in",
    description:
      "Returns who asks, where from, and which access you can give it, by the code that the program shows or by the query with which it opened the browser. Wrong codes are limited by address and in total.",
    body: ProgramQuestion,
    response: ProgramRequest,
    errors: ["NOT_FOUND", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/sign-ins/approve",
    scope: "account",
    roles: ["operator", ...CUSTOMER_ROLES],
    respond: approveProgram,
    summary: "Sign a program in",
    description:
      "Lets the program get a key with the access that you approve. Viewers can give it reading access only. Operators choose the organization. The sign-in ends with your account.",
    body: ApproveProgramRequest,
    response: ProgramDecided,
    errors: ["NOT_FOUND", "CONFLICT", "RATE_LIMITED"],
  }),
  endpoint({
    method: "POST",
    url: "/api/console/sign-ins/deny",
    scope: "account",
    roles: ROLES,
    respond: denyProgram,
    summary: "Refuse to sign a program in",
    description: "Tells the program that you denied its request.",
    body: ProgramQuestion,
    response: ProgramDecided,
    errors: ["NOT_FOUND", "RATE_LIMITED"],
  }),
];

/** Shows who asks and for what, before the person decides. */
async function inspectProgram(
  context: PersonContext<unknown, ProgramQuestion>,
): Promise<ProgramRequest | FastifyReply> {
  const { body, now } = context;
  if (body.user_code === undefined) {
    const { requested } = requireAuthorization(context);
    return requestToWire(context, requested, { userCode: null, redirect: requested.redirect, created: now });
  }
  const { user_code } = body;
  return guarded(context, async () => {
    const found = await findWaiting(context.services.store, user_code, now);
    if (!found) throw notFound("this code is wrong, has expired or was already used: start again in your program");
    return requestToWire(context, found, { userCode: found.userCode, redirect: null, created: found.created });
  });
}

async function approveProgram(
  context: PersonContext<unknown, ApproveProgramRequest>,
): Promise<ProgramDecided | FastifyReply> {
  const { services, operation, caller, body } = context;
  const { user_code, organization, days } = body;
  const choice = { organization, days };
  if (user_code === undefined) {
    const { requested, answer } = requireAuthorization(context);
    const code = await approveAuthorization(operation, caller.sessionHash, requested, choice);
    services.metrics.programs.inc({ event: "approved" });
    return { redirect: answer({ code: code.reveal() }) };
  }
  return guarded(context, async () => {
    await approveDevice(operation, caller.sessionHash, user_code, choice);
    services.metrics.programs.inc({ event: "approved" });
    return { redirect: null };
  });
}

async function denyProgram(context: PersonContext<unknown, ProgramQuestion>): Promise<ProgramDecided | FastifyReply> {
  const { services, operation, caller, body } = context;
  const { user_code } = body;
  if (user_code === undefined) {
    const { answer } = requireAuthorization(context);
    services.metrics.programs.inc({ event: "denied" });
    return { redirect: answer({ error: "access_denied", error_description: "The person denied the request." }) };
  }
  return guarded(context, async () => {
    await denyDevice(operation, caller.sessionHash, user_code);
    services.metrics.programs.inc({ event: "denied" });
    return { redirect: null };
  });
}

/** Limits how many codes can be guessed. Right ones don't count, even if the person may not approve them. */
async function guarded<T>(context: PersonContext, decide: () => Promise<T>): Promise<T | FastifyReply> {
  const { services, request, reply, now } = context;
  const { userCodes } = services.programs.limits;
  const wait = userCodes.take(request.clientAddress, now.getTime());
  if (wait > 0) return sendLimited(reply, wait);
  try {
    const decided = await decide();
    userCodes.give(request.clientAddress);
    return decided;
  } catch (error) {
    if (error instanceof Fault && error.kind !== "not_found") userCodes.give(request.clientAddress);
    throw error;
  }
}

/** Checks the query again, because the browser could have changed it. */
function requireAuthorization({
  services,
  request,
  body,
}: PersonContext<unknown, ProgramQuestion>): AuthorizationRequest {
  if (body.authorization === undefined) throw invalid("enter the code that your program shows");
  const checked = checkAuthorization(services, decodeQuery(body.authorization), request.clientAddress);
  if ("program" in checked) return checked;
  throw invalid("shown" in checked ? checked.shown : "the program's request is malformed: start again in your program");
}

function requestToWire(
  { services, request, caller }: PersonContext,
  { programId, scopes, host, address }: RequestedAccess,
  { userCode, redirect, created }: { userCode: string | null; redirect: string | null; created: Date },
): ProgramRequest {
  const grantable = grantableScopes(caller.account.role, scopes);
  return {
    program: services.programs.known.get(programId)?.name ?? programId,
    user_code: userCode,
    host,
    address,
    is_same_network: networkOf(address) === networkOf(request.clientAddress),
    redirect,
    created: created.toISOString(),
    scopes: grantable as Scopes,
    refused_scopes: scopes.filter((scope) => !grantable.includes(scope)) as Scopes,
  };
}
