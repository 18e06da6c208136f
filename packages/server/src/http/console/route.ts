import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import type { Static, TSchema } from "typebox";
import { SignedOut } from "../../domain/accounts/accounts.ts";
import { PasswordQueueFull } from "../../domain/accounts/password.ts";
import type { Operation } from "../../domain/store.ts";
import { operationOf } from "../operation.ts";
import { sendFault } from "../operator/faults.ts";
import { sendLimited } from "../plugins/rate-limits.ts";
import { sendUnauthorized } from "../plugins/unauthorized.ts";
import type { AccountContext, AccountRoute, PublicRoute, RequestContext } from "../route.ts";

/** A request whose query and body match the contract. */
interface Matched<Query, Body> {
  query: Query;
  body: Body;
  /** The `:id` of the URL. */
  id: string;
}

export interface PublicContext<Query = unknown, Body = unknown> extends RequestContext, Matched<Query, Body> {}

export interface PersonContext<Query = unknown, Body = unknown> extends AccountContext, Matched<Query, Body> {
  operation: Operation;
}

interface Spec<Query extends TSchema, Body extends TSchema, Response extends TSchema> {
  method: AccountRoute["method"];
  url: `/api/console/${string}`;
  summary: string;
  description: string;
  query?: Query;
  body?: Body;
  response?: Response;
  errors?: readonly ErrorCode[];
}

/** Returns the body of the response, undefined for none, or the reply if it was sent already. */
type Responded<Response extends TSchema> = Promise<Static<Response> | FastifyReply | undefined>;

/** A route for people who are not signed in. */
export function publicRoute<Query extends TSchema, Body extends TSchema, Response extends TSchema>(
  spec: Spec<Query, Body, Response> & {
    respond(context: PublicContext<Static<Query>, Static<Body>>): Responded<Response>;
  },
): PublicRoute {
  const { respond, ...route } = spec;
  return {
    ...route,
    ...strict(spec, []),
    scope: "public",
    handler: (context) => send(context, respond({ ...context, ...matched(context) })),
  };
}

/** A route for people with one of the roles. */
export function accountRoute<Query extends TSchema, Body extends TSchema, Response extends TSchema>(
  spec: Spec<Query, Body, Response> & {
    roles: AccountRoute["roles"];
    respond(context: PersonContext<Static<Query>, Static<Body>>): Responded<Response>;
  },
): AccountRoute {
  const { respond, ...route } = spec;
  return {
    ...route,
    ...strict(spec, ["UNAUTHORIZED", ...(spec.method === "GET" ? [] : (["CROSS_ORIGIN"] as const))]),
    scope: "account",
    handler: (context) => send(context, respond({ ...context, ...matched(context), operation: operationOf(context) })),
  };
}

/** Unknown fields and parameters are rejected, and errors are explained. */
function strict({ query, body, errors = [] }: Spec<TSchema, TSchema, TSchema>, more: readonly ErrorCode[]) {
  const bodyErrors: ErrorCode[] = body ? ["INVALID_REQUEST", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] : [];
  const queryErrors: ErrorCode[] = query ? ["INVALID_REQUEST"] : [];
  return {
    isQueryStrict: query !== undefined,
    errors: [...more, ...bodyErrors, ...queryErrors, ...errors],
    onError: sendConsoleFault,
  };
}

/** By then the queue is empty, unless it has been filled again. */
const QUEUE_RETRY_SECONDS = 5;

function sendConsoleFault(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof PasswordQueueFull) return sendLimited(reply, QUEUE_RETRY_SECONDS);
  if (error instanceof SignedOut) return sendUnauthorized(reply, "session_ended", "account");
  return sendFault(error, reply);
}

function matched({ request }: RequestContext) {
  const { id = "" } = request.params as { id?: string };
  return { query: request.query as never, body: (request.body ?? {}) as never, id };
}

async function send({ reply }: RequestContext, response: Promise<unknown>): Promise<FastifyReply> {
  reply.header("cache-control", "no-store");
  const body = await response;
  if (body === reply) return reply;
  return body === undefined ? reply.code(204).send() : reply.send(body);
}
