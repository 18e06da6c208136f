import type { ErrorCode } from "@dbdepot/contract/errors";
import type { OPERATOR_SCOPES } from "@dbdepot/contract/scopes";
import type { Static, TSchema } from "typebox";
import type { Operation } from "../../store.ts";
import type { Reply } from "../reply.ts";
import type { KeyRoute, Visit } from "../route.ts";
import { answerFault } from "./faults.ts";
import { queryReader } from "./query.ts";

/** One request of an operator's key, its query and body as the contract has them. */
export interface OperatorVisit<Query = unknown, Body = unknown> extends Visit {
  query: Query;
  body: Body;
  /** Of what is to be changed: the `:id` of the address. */
  id: string;
  operation: Operation;
}

type Scope = (typeof OPERATOR_SCOPES)[number];

interface Spec<Query extends TSchema, Body extends TSchema, Response extends TSchema> {
  method: KeyRoute["method"];
  url: `/api/operator/${string}`;
  scope: Scope;
  summary: string;
  description: string;
  query?: Query;
  body?: Body;
  isBodyOptional?: boolean;
  isBodyRaw?: boolean;
  response: Response;
  /** Beside those that every operator's address can have. */
  errors?: readonly ErrorCode[];
  /** The body of the answer; or the reply, where it has sent itself. */
  answer(visit: OperatorVisit<Static<Query>, Static<Body>>): Promise<Static<Response> | Reply>;
}

/**
 * A route for the operator's own keys. It reads the query strictly, tells faults in words, lets no answer be
 * cached, and sees to it that a change holds at once here.
 */
export function operatorRoute<Query extends TSchema, Body extends TSchema, Response extends TSchema>(
  spec: Spec<Query, Body, Response>,
): KeyRoute {
  const { answer, errors = [], ...route } = spec;
  const readQuery = spec.query && queryReader(spec.query);
  const isChange = spec.method !== "GET";
  return {
    ...route,
    bearerOnly: true,
    errors: ["INVALID_REQUEST", "UNAUTHORIZED", ...(isChange ? CHANGE_ERRORS : []), ...errors],
    onError: answerFault,
    async handler(visit) {
      const { parts, request, reply, caller, now } = visit;
      reply.header("cache-control", "no-store");
      const answered = await answer({
        ...visit,
        query: (readQuery ? readQuery(request) : {}) as Static<Query>,
        body: (request.body ?? {}) as Static<Body>,
        id: request.params.id ?? "",
        operation: { store: parts.store, actor: `key:${caller.prefix}`, now },
      });
      // Should it fail, the register learns of the change by itself. It is made, and its answer may carry a secret
      // that nobody will see again.
      if (isChange) await parts.register.refresh().catch(() => {});
      return answered === reply ? reply : reply.send(answered);
    },
  };
}

const CHANGE_ERRORS: readonly ErrorCode[] = ["CONFLICT", "TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"];
