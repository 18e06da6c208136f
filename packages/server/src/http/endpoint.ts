import type { Role } from "@dbdepot/contract/console/accounts";
import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import { isOperatorScope, type Scope } from "@dbdepot/contract/shared/scopes";
import type { FastifyReply } from "fastify";
import type { Static, TSchema } from "typebox";
import { actorOf } from "../domain/access/account.ts";
import type { Manager } from "../domain/access/manager.ts";
import type { Operation } from "../domain/store.ts";
import type { FaultKind } from "../platform/primitives/faults.ts";
import { bearerKey } from "./credentials.ts";
import { sendFault } from "./faults.ts";
import type { AccountContext, Caller, KeyContext, RequestContext, Route } from "./route.ts";

/** A request whose query and body match the contract. */
interface Matched<Query, Body> {
  query: Query;
  body: Body;
  /** The `:id` of the URL. */
  id: string;
}

/** A request to an endpoint that requires no session or key. */
export type PublicContext<Query = unknown, Body = unknown> = RequestContext & Matched<Query, Body>;

/** A request by a person who is signed in. */
export type PersonContext<Query = unknown, Body = unknown> = AccountContext &
  Matched<Query, Body> & { operation: Operation };

/** A request with a key, or by a person whose role has the scope. */
export type CallerContext<Query = unknown, Body = unknown> = KeyContext &
  Matched<Query, Body> & { operation: Operation };

type Access = "public" | "account" | Scope;

type ContextOf<A extends Access, Query, Body> = A extends "public"
  ? PublicContext<Query, Body>
  : A extends "account"
    ? PersonContext<Query, Body>
    : CallerContext<Query, Body>;

interface Spec<A extends Access, Query extends TSchema, Body extends TSchema, Response extends TSchema> {
  method: Route["method"];
  url: string;
  scope: A;
  /** Required if the scope is "account". */
  roles?: A extends "account" ? readonly Role[] : never;
  allowsMissingFactor?: A extends "account" ? true : never;
  summary: string;
  description?: string;
  query?: Query;
  body?: Body;
  isBodyOptional?: boolean;
  bodyMaxBytes?: number;
  isBodyRaw?: boolean;
  response?: Response;
  /** Set for endpoints of people; with a key, every method but GET does. */
  changesRegister?: A extends "account" ? true : never;
  /** Error codes to document, in addition to those that follow from the scope, the method, the query and the body. */
  errors?: readonly ErrorCode[];
  /** Error codes that differ from those of other endpoints. */
  faultCodes?: Partial<Record<FaultKind, ErrorCode>>;
  /** Returns the body of the response, undefined if it has no body, or the reply if it was already sent. */
  respond(context: ContextOf<A, Static<Query>, Static<Body>>): Promise<Static<Response> | FastifyReply | undefined>;
}

/**
 * A route that returns JSON and is never cached. It rejects queries that do not match the contract, because a mistyped
 * filter would otherwise show everything; translates faults to error codes; and makes changes effective in this process
 * immediately. A key is accepted in `Authorization: Bearer` only.
 */
export function endpoint<A extends Access, Query extends TSchema, Body extends TSchema, Response extends TSchema>(
  spec: Spec<A, Query, Body, Response>,
): Route {
  const { respond, faultCodes: codes, ...route } = spec;
  const scope: Access = spec.scope;
  const hasKey = scope !== "public" && scope !== "account";
  const isExplained = !hasKey || isOperatorScope(scope);
  return {
    ...route,
    ...(hasKey && { bearerOnly: true, changesRegister: spec.method !== "GET" }),
    isQueryStrict: spec.query !== undefined,
    errors: documentedErrors(spec),
    onError: (error, reply) => sendFault(error, reply, { scope, isExplained, codes }),
    async handler(context: RequestContext & { caller?: Caller }) {
      const { request, reply, caller } = context;
      const body = await respond({
        ...context,
        query: request.query,
        body: request.body ?? {},
        id: (request.params as { id?: string }).id ?? "",
        ...(caller && { operation: operationOf({ ...context, caller }) }),
      } as ContextOf<A, Static<Query>, Static<Body>>);
      if (body === reply) return reply;
      return body === undefined ? reply.code(204).send() : reply.send(body);
    },
  } as Route;
}

function documentedErrors(spec: Spec<Access, TSchema, TSchema, TSchema>): ErrorCode[] {
  const { method, scope, query, body, errors = [] } = spec;
  return [
    ...new Set<ErrorCode>([
      ...(scope === "public" ? [] : (["UNAUTHORIZED"] as const)),
      ...(scope === "public" || method === "GET" ? [] : (["CROSS_ORIGIN"] as const)),
      ...(body ? (["INVALID_REQUEST", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const) : []),
      ...(query ? (["INVALID_REQUEST"] as const) : []),
      ...errors,
    ]),
  ];
}

function operationOf({ services, caller, now }: RequestContext & { caller: Caller }): Operation {
  const { store, rules } = services;
  const actor = "key" in caller ? `key:${caller.prefix}` : actorOf(caller.account);
  return { store, actor, now, rules };
}

/** The caller, for changes that check its access again inside the transaction. */
export function managerOf({ request, caller }: KeyContext): Manager {
  if ("key" in caller) return { presented: bearerKey(request), address: request.clientAddress };
  return { sessionHash: caller.sessionHash };
}
