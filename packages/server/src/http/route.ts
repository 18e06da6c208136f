import type { Role } from "@dbdepot/contract/console/accounts";
import type { SharingError } from "@dbdepot/contract/delta-sharing/tables";
import type { GeoipError } from "@dbdepot/contract/geoip/editions";
import type { OAuthError } from "@dbdepot/contract/oauth/oauth";
import type { ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import type { Metrics } from "../adapters/monitoring/metrics.ts";
import type { ReadinessCheck } from "../adapters/monitoring/readiness.ts";
import type { KeyCaller, KeyProblem, RequiredScope } from "../domain/access/authenticate-key.ts";
import type { AccountCaller, SessionProblem } from "../domain/access/session.ts";
import type { ObjectStore } from "../domain/builds/object-store.ts";
import type { OpenBucket } from "../domain/destinations/bucket.ts";
import type { Attempt } from "../domain/downloads/attempt.ts";
import type { History, Spool } from "../domain/downloads/history.ts";
import type { JobRunner } from "../domain/jobs/runner.ts";
import type { LegacyKey } from "../domain/legacy-keys/legacy-key.ts";
import type { LimitCounters } from "../domain/limits/counters.ts";
import type { PendingPatches } from "../domain/patches/pending.ts";
import type { RetentionPolicy } from "../domain/retention/rules.ts";
import type { Rules, Store } from "../domain/store.ts";
import type { Sender } from "../domain/webhooks/sender.ts";
import type { Clock } from "../platform/primitives/clock.ts";
import type { DelayedWrites } from "../platform/primitives/delayed-writes.ts";
import type { Register } from "../register/register.ts";
import type { Watch } from "../register/watch.ts";
import type { ConsoleServices } from "./console/services.ts";
import type { EventStreams } from "./event-streams.ts";
import type { ProgramServices } from "./oauth/services.ts";
import type { RowStreams } from "./row-streams.ts";
import type { TokenBuckets } from "./token-buckets.ts";

/** The parts of the service that plugins and handlers use. */
export interface Services {
  store: Store;
  register: Register;
  history: History;
  spool: Spool;
  limits: LimitCounters;
  pendingPatches: Pick<PendingPatches, "has">;
  objects: ObjectStore;
  clock: Clock;
  /** The directory in which CSV files are exported, which may need some gigabytes for a while. */
  exportDirectory: string;
  linkTtlSeconds: number;
  /** The header in which a trusted proxy names a region; empty if none does. */
  linkRegionHeader: string;
  /** How long links to Parquet files work. */
  tableLinkTtlSeconds: number;
  rules: Rules;
  retention: RetentionPolicy;
  /** When keys were last used, by their ids. It tells people which keys they can delete. */
  lastUsed: Pick<DelayedWrites<Date>, "note">;
  /**
   * The bytes that were sent, by the ids of attempts. They are recorded with the planned length; this corrects it after a stream of unknown
   * length, or one that was cut off.
   */
  sentBytes: DelayedWrites<number>;
  metrics: Metrics;
  readiness: Pick<ReadinessCheck, "check">;
  database: Pick<Watch, "isOutOfReach" | "isBeyondGrace">;
  eventStreams: EventStreams;
  rowStreams: RowStreams;
  jobs: Pick<JobRunner, "wake">;
  console: ConsoleServices;
  webhooks: WebhookServices;
  destinations: DestinationServices;
  programs: ProgramServices;
  /** The command for systems without Node.js, from `dbdepot-clients-<version>.tar` of a release, by file name. */
  systemPackages: ReadonlyMap<string, { path: string; sha256: string; sizeBytes: number }>;
}

interface WebhookServices {
  sender: Sender;
  /** Limits how many tests and redeliveries an organization can request. */
  requests: TokenBuckets;
}

interface DestinationServices {
  openBucket: OpenBucket;
  /** Limits how many tests an organization can request. */
  tests: TokenBuckets;
}

/** One request, with everything a handler needs to respond to it. */
export interface RequestContext {
  services: Services;
  request: FastifyRequest;
  reply: FastifyReply;
  now: Date;
}

/** The sender of a request: a key, or a person who is signed in. */
export type Caller = KeyCaller | AccountCaller;

/** A request whose key or session was accepted. */
export interface KeyContext extends RequestContext {
  caller: Caller;
  /** Empty for operators, who belong to no organization. */
  organizationId: string;
}

/** A request by a person who is signed in. */
export interface AccountContext extends RequestContext {
  caller: AccountCaller;
}

/** A v1 request whose key was accepted. */
export interface LegacyKeyContext extends RequestContext {
  key: LegacyKey;
}

/** Why a key or session was refused, and whose key it is if it could be resolved. */
export interface KeyRefusal {
  problem: KeyProblem | SessionProblem;
  requester: Pick<Attempt, "organizationId" | "keyId">;
}

export type Response = FastifyReply | Promise<FastifyReply>;

interface RouteBase {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  summary: string;
  description?: string;
  /** Documented for customers. Enforced only where `isQueryStrict` is set. */
  query?: TSchema;
  body?: TSchema;
  isBodyOptional?: boolean;
  /** The limit of a JSON body that may be larger than others. */
  bodyMaxBytes?: number;
  /** The body is `application/x-www-form-urlencoded` instead of JSON. */
  isForm?: boolean;
  /** The handler reads the body itself, whatever its type and size. */
  isBodyRaw?: boolean;
  /** The body of a successful response; undefined if it is not JSON. */
  response?: TSchema;
  /** Documented for customers. */
  errors?: readonly ErrorCode[];
  /** Replaces the body of errors, for programs that expect another one. */
  errorBody?(code: ErrorCode): GeoipError | OAuthError | SharingError;
  /** Rejects queries that do not match `query`, which says whether unknown parameters match. */
  isQueryStrict?: boolean;
  /** Responds to the errors it knows and throws all others. */
  onError?(error: unknown, reply: FastifyReply): FastifyReply;
  /** Its changes take effect in this process before the response is sent. */
  changesRegister?: boolean;
  /** Called before a refused key is answered, for example to record the attempt. */
  onUnauthorized?(context: RequestContext, refusal: KeyRefusal): Promise<void>;
}

/** Open to everyone. */
interface PublicRoute extends RouteBase {
  scope: "public";
  handler(context: RequestContext): Response;
}

/** Open to keys with the scope and people whose role has it, or to every valid key. */
export interface KeyRoute extends RouteBase {
  scope: RequiredScope;
  handler(context: KeyContext): Response;
  /** Accepts the key in `Authorization: Bearer` only. */
  bearerOnly?: boolean;
  /** Accepts HTTP Basic too: the account id of the organization as the user name, and the key as the password. */
  acceptsBasic?: boolean;
  /**
   * Exempt from the rate limit of the key, so that polling for new builds is free. Requests for an older build or
   * manifest count, because they may need the database.
   */
  isPolled?: boolean;
}

/** Open to v1 keys: UUIDs in the `apikey` parameter, each with a list of database ids instead of scopes. */
interface LegacyRoute extends RouteBase {
  scope: "v1 key";
  handler(context: LegacyKeyContext): Response;
}

/** Open to people who are signed in and have one of the roles. */
export interface AccountRoute extends RouteBase {
  scope: "account";
  roles: readonly Role[];
  /** Open to people who still have to add the second factor that their account needs. */
  allowsMissingFactor?: true;
  handler(context: AccountContext): Response;
}

export type Route = PublicRoute | KeyRoute | LegacyRoute | AccountRoute;
