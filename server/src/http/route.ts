import type { ErrorCode } from "@dbdepot/contract/errors";
import type { Scope } from "@dbdepot/contract/scopes";
import type { TSchema } from "typebox";
import type { Clock } from "../clock.ts";
import type { History } from "../downloads/history.ts";
import type { Caller, Refused } from "../keys/authenticate.ts";
import type { LegacyRefused } from "../keys/authenticate-legacy.ts";
import type { LastUsed } from "../keys/last-used.ts";
import type { LegacyKey } from "../keys/legacy-key.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { Register } from "../register/register.ts";
import type { Watch } from "../register/watch.ts";
import type { Store } from "../store.ts";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";

/** What the handlers work with. */
export interface Parts {
  store: Store;
  register: Register;
  history: History;
  objects: ObjectStore;
  clock: Clock;
  linkTtlSeconds: number;
  lastUsed: Pick<LastUsed, "note">;
  database: Pick<Watch, "isOutOfReach" | "isBeyondGrace">;
}

/** One request at work. */
export interface PublicVisit {
  parts: Parts;
  request: Request;
  reply: Reply;
  now: Date;
}

/** One whose key opened the door. */
export interface Visit extends PublicVisit {
  caller: Caller;
  organizationId: string;
}

/** One on v1, whose UUID is a legacy key. */
export interface LegacyVisit extends PublicVisit {
  key: LegacyKey;
}

export type Answer = Reply | Promise<Reply>;

interface RouteBase {
  method: "GET" | "POST" | "PUT" | "PATCH";
  url: string;
  summary: string;
  description?: string;
  query?: TSchema;
  body?: TSchema;
  /** It may be left out. */
  isBodyOptional?: boolean;
  /** It is the handler's to read, as it comes, whatever its type and size. */
  isBodyRaw?: boolean;
  /** Whether the answer is sent in one piece: then the request may take the express lane. */
  isInOnePiece?(request: Request): boolean;
  /** Of the success; left out where it has no JSON body. */
  response?: TSchema;
  errors: readonly ErrorCode[];
}

/** For everybody: it shows nothing of anybody's. */
interface PublicRoute extends RouteBase {
  scope: "public";
  handler(visit: PublicVisit): Answer;
}

/** For keys with the scope. */
export interface KeyRoute extends RouteBase {
  scope: Scope;
  handler(visit: Visit): Answer;
  /** Only `Authorization: Bearer` will do. */
  bearerOnly?: boolean;
  /** What else is to be done before a refused key is answered. */
  onUnauthorized?(parts: Parts, request: Request, refused: Refused, now: Date): Promise<void>;
  /** Polling for news is free of the rate limit. */
  isUnlimited?: boolean;
  /** Answers the faults that it has words for, and throws the others. */
  onError?(error: unknown, reply: Reply): Reply;
}

/** For v1's own keys: UUIDs, in the `apikey` parameter only. Each has a list of ids instead of scopes. */
export interface LegacyRoute extends RouteBase {
  scope: "v1 key";
  handler(visit: LegacyVisit): Answer;
  /** What else is to be done before a refused key is answered. */
  onUnauthorized?(parts: Parts, request: Request, refused: LegacyRefused, now: Date): Promise<void>;
}

export type Route = PublicRoute | KeyRoute | LegacyRoute;
