import type { ErrorCode } from "@dbdepot/contract/errors";
import type { Scope } from "@dbdepot/contract/scopes";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import type { Clock } from "../clock.ts";
import type { History } from "../downloads/history.ts";
import type { Caller, Refused } from "../keys/authenticate.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { Register } from "../register/register.ts";
import type { Store } from "../store.ts";

/** What the handlers work with. */
export interface Parts {
  store: Store;
  register: Register;
  history: History;
  objects: ObjectStore;
  clock: Clock;
  linkTtlSeconds: number;
}

/** One request at work: who asks, from where, when. */
export interface Visit {
  parts: Parts;
  request: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  organizationId: string;
  now: Date;
}

export type Handler = (visit: Visit) => FastifyReply | Promise<FastifyReply>;

export interface Route {
  method: "GET";
  url: string;
  scope: Scope;
  handler: Handler;
  /** What else is to be done before a refused key is answered. */
  onUnauthorized?(parts: Parts, request: FastifyRequest, refused: Refused, now: Date): Promise<void>;
  /** Polling for news is free of the rate limit. */
  isUnlimited?: boolean;
  summary: string;
  query?: TSchema;
  response?: TSchema;
  errors: readonly ErrorCode[];
}
