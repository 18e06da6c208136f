import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply } from "fastify";
import type { Static, TSchema } from "typebox";
import { NotManager } from "../../domain/keys/manager.ts";
import type { Operation } from "../../domain/store.ts";
import type { Webhook } from "../../domain/webhooks/webhook.ts";
import { requireOwnWebhook } from "../../domain/webhooks/webhooks.ts";
import { Fault, type FaultKind } from "../../platform/primitives/faults.ts";
import { sendError } from "../errors.ts";
import { operationOf } from "../operation.ts";
import { sendUnauthorized } from "../plugins/unauthorized.ts";
import type { KeyContext, KeyRoute } from "../route.ts";

/** A request whose query and body match the contract. */
export interface WebhookContext<Query = unknown, Body = unknown> extends KeyContext {
  query: Query;
  body: Body;
  operation: Operation;
  /** The `:id` of the URL. */
  id: string;
  /** The webhook with this id. Another organization's is reported like one that does not exist. */
  webhook(): Promise<Webhook>;
}

interface Spec<Query extends TSchema, Body extends TSchema, Response extends TSchema> {
  method: KeyRoute["method"];
  url: `/api/v2/webhooks${string}`;
  summary: string;
  description: string;
  query?: Query;
  body?: Body;
  response?: Response;
  errors?: readonly ErrorCode[];
  /** Returns the body of the response, undefined for none, or the reply if it was sent already. */
  respond(context: WebhookContext<Static<Query>, Static<Body>>): Promise<Static<Response> | FastifyReply | undefined>;
}

/** A route for those who manage their organization. */
export function webhookRoute<Query extends TSchema, Body extends TSchema, Response extends TSchema>(
  spec: Spec<Query, Body, Response>,
): KeyRoute {
  const { respond, errors = [], ...route } = spec;
  const bodyErrors: ErrorCode[] = spec.body ? ["INVALID_REQUEST", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] : [];
  const queryErrors: ErrorCode[] = spec.query ? ["INVALID_REQUEST"] : [];
  const changeErrors: ErrorCode[] = spec.method === "GET" ? [] : ["CROSS_ORIGIN"];
  const idErrors: ErrorCode[] = spec.url.includes(":id") ? ["NOT_FOUND"] : [];
  return {
    ...route,
    scope: "apikeys.manage",
    bearerOnly: true,
    isQueryStrict: spec.query !== undefined,
    errors: ["UNAUTHORIZED", ...changeErrors, ...bodyErrors, ...queryErrors, ...idErrors, ...errors],
    onError: sendFault,
    async handler(context) {
      const { services, request, reply, organizationId } = context;
      const { id = "" } = request.params as { id?: string };
      reply.header("cache-control", "no-store");
      const body = await respond({
        ...context,
        query: request.query as Static<Query>,
        body: request.body as Static<Body>,
        operation: operationOf(context),
        id,
        webhook: () => requireOwnWebhook(services.store, organizationId, id),
      });
      if (body === reply) return reply;
      return body === undefined ? reply.code(204).send() : reply.send(body);
    },
  };
}

const CODES: Record<FaultKind, ErrorCode> = {
  invalid: "INVALID_REQUEST",
  invalid_url: "INVALID_URL",
  not_found: "NOT_FOUND",
  conflict: "CONFLICT",
  too_many_keys: "TOO_MANY_KEYS",
  too_many_webhooks: "TOO_MANY_WEBHOOKS",
};

/** Sends the code of a fault. Throws errors that it does not know. */
function sendFault(error: unknown, reply: FastifyReply): FastifyReply {
  if (error instanceof NotManager) return sendUnauthorized(reply, error.problem, "apikeys.manage");
  if (error instanceof Fault) return sendError(reply, CODES[error.kind]);
  throw error;
}
