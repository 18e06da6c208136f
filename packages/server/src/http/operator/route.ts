import type { OPERATOR_SCOPES } from "@dbdepot/contract/shared/scopes";
import type { FastifyReply } from "fastify";
import type { Static, TSchema } from "typebox";
import type { Operation } from "../../domain/store.ts";
import { operationOf } from "../operation.ts";
import type { KeyContext, KeyRoute } from "../route.ts";
import { sendFault } from "./faults.ts";

/** A request of an operator's key whose query and body match the contract. */
export interface OperatorContext<Query = unknown, Body = unknown> extends KeyContext {
  query: Query;
  body: Body;
  /** The `:id` of the URL. */
  id: string;
  operation: Operation;
}

type Scope = (typeof OPERATOR_SCOPES)[number];

interface Spec<Query extends TSchema, Body extends TSchema, Response extends TSchema> {
  method: KeyRoute["method"];
  url: `/api/operator/${string}`;
  scope: Scope;
  summary: string;
  query?: Query;
  body?: Body;
  isBodyOptional?: boolean;
  isBodyRaw?: boolean;
  response: Response;
  /** Returns the body of the response, or the reply if it was sent already. */
  respond(context: OperatorContext<Static<Query>, Static<Body>>): Promise<Static<Response> | FastifyReply>;
}

/**
 * A route for the operator's own keys. It rejects unknown query parameters, because a mistyped filter would otherwise show
 * everything; explains errors; forbids caching; and makes a change effective in this process immediately.
 */
export function operatorRoute<Query extends TSchema, Body extends TSchema, Response extends TSchema>(
  spec: Spec<Query, Body, Response>,
): KeyRoute {
  const { respond, ...route } = spec;
  const isChange = spec.method !== "GET";
  return {
    ...route,
    bearerOnly: true,
    isQueryStrict: spec.query !== undefined,
    onError: sendFault,
    async handler(context) {
      const { services, request, reply } = context;
      reply.header("cache-control", "no-store");
      const body = await respond({
        ...context,
        query: request.query as Static<Query>,
        body: (request.body ?? {}) as Static<Body>,
        id: (request.params as { id?: string }).id ?? "",
        operation: operationOf(context),
      });
      // If it fails, the register refreshes later. The change is committed, and the response may carry a secret that is
      // never shown again.
      if (isChange) await services.register.refresh().catch(() => {});
      return body === reply ? reply : reply.send(body);
    },
  };
}
