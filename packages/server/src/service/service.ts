/** Puts all parts of the service together. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createMetrics } from "../adapters/monitoring/metrics.ts";
import { openCeremonies } from "../adapters/webauthn/ceremonies.ts";
import { Lookups } from "../domain/builds/lookup/lookup.ts";
import { ObjectBlocks } from "../domain/builds/lookup/object-blocks.ts";
import { programsOf } from "../domain/sign-ins/program.ts";
import type { Store } from "../domain/store.ts";
import { createSender } from "../domain/webhooks/sender.ts";
import { TIMEOUTS, type Timeouts } from "../http/app.ts";
import { ACCESS_REQUESTS, INVITATIONS, SignInThrottle } from "../http/console/throttle.ts";
import { EventStreams } from "../http/event-streams.ts";
import { signInLimits } from "../http/oauth/throttle.ts";
import type { Services } from "../http/route.ts";
import { TokenBuckets } from "../http/token-buckets.ts";
import { WEBHOOK_REQUESTS } from "../http/webhooks/routes.ts";
import { type Clock, systemClock } from "../platform/primitives/clock.ts";
import { urlOf } from "../platform/runtime/listen.ts";
import { createLog } from "../platform/runtime/log.ts";
import { VERSION } from "../platform/version.ts";
import { settingsReport } from "../settings/report.ts";
import { rulesOf } from "../settings/rules.ts";
import type { Settings } from "../settings/settings.ts";
import {
  startComparer,
  startCourier,
  startDispatcher,
  startKeyLoader,
  startMaintenance,
  startPatchMaker,
} from "./background.ts";
import { openApi, openFiles, publicUrlOf } from "./listeners.ts";
import { openIdentityProvider, openMail, openTracing } from "./optional.ts";
import type { Start } from "./start.ts";
import {
  openDatabase,
  openDelayedWrites,
  openFeed,
  openHistory,
  openLimits,
  openReadiness,
  openRegister,
} from "./state.ts";

export interface Service {
  apiUrl: string;
  /** Undefined if the files are in S3, which serves them itself. */
  objectsUrl: string | undefined;
  services: Services;
  /** Refuses new connections, and asks the clients of open ones to disconnect, before `close` closes them. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Long enough for a busy proxy to use each of its open connections once more and see that the server is closing. */
const DRAIN_MS = 1000;

export interface ServiceOptions {
  clock?: Clock;
  log?: Logger;
  timeouts?: Timeouts;
  /** Whether this is the demo. */
  isDemo?: boolean;
  /** Throws if this data must not be served. */
  checkStore?(store: Store): Promise<void>;
}

/** Everything that `serve` runs, in one process. */
export async function startService(settings: Settings, options: ServiceOptions = {}): Promise<Service> {
  const { clock = systemClock, log = createLog(settings.logLevel), timeouts = TIMEOUTS } = options;
  await using opened = new AsyncDisposableStack();
  const onFailure = (message: string, error: unknown) => log.error({ err: error }, message);
  const start: Start = { settings, clock, log, metrics: createMetrics(), opened, onFailure };

  const store = await openDatabase(start);
  await options.checkStore?.(store);
  const files = await openFiles(start);
  const { register, database } = await openRegister(start, store);
  const { history, spool } = await openHistory(start, store);
  const limits = openLimits(start, store, register);
  startMaintenance(start, store, files.objects);
  const lastUsed = openDelayedWrites<Date>(start, (uses) => store.keys.setLastUsed(uses));
  const readiness = openReadiness(start, { store, objects: files.objects, register, database, spool });
  const mailer = await openMail(start);
  const comparer = startComparer(start, { store, objects: files.objects, register });
  const sender = createSender({ privateNetworks: settings.webhookPrivateNetworks });
  const feed = await openFeed(start, store, register);
  const eventStreams = new EventStreams(
    {
      feed,
      register,
      database,
      metrics: start.metrics,
      clock,
      onFailure: (error) => onFailure("an event stream could not be checked or resumed", error),
    },
    {
      total: () => Math.min(settings.eventStreams, Math.floor((api.server.maxConnections ?? Infinity) / 2)),
      perCaller: settings.eventStreamsPerKey,
      perOrganization: settings.eventStreamsPerOrganization,
      heartbeatMs: timeouts.heartbeatMs,
    },
  );
  const services: Services = {
    store,
    register,
    history,
    limits,
    objects: files.objects,
    clock,
    exportDirectory: join(settings.dataDir, "exports"),
    linkTtlSeconds: settings.linkTtlSeconds,
    rules: rulesOf(settings),
    retention: settings.retention,
    lastUsed,
    sentBytes: openDelayedWrites<number>(start, (sent) => store.attempts.setSentBytes(sent)),
    database,
    metrics: start.metrics,
    readiness,
    eventStreams,
    comparer,
    console: {
      publicUrl: () => publicUrlOf(settings, api.server),
      version: VERSION,
      brand: settings.brand,
      settings: settingsReport(settings),
      isDemo: options.isDemo ?? false,
      mailer,
      sendsNotices: mailer !== undefined && settings.digestHour !== null,
      provider: await openIdentityProvider(settings),
      passkeys: openCeremonies(settings.brand.name, () => publicUrlOf(settings, api.server)),
      throttle: new SignInThrottle(),
      operatorMail: settings.operatorMail,
      accessRequests: new TokenBuckets(ACCESS_REQUESTS),
      invitations: new TokenBuckets(INVITATIONS),
      lookups: new Lookups(new ObjectBlocks(files.objects)),
      onError: onFailure,
    },
    webhooks: { sender, requests: new TokenBuckets(WEBHOOK_REQUESTS) },
    signIns: { programs: programsOf(settings.programs), limits: signInLimits() },
  };
  const tracing = await openTracing(start);
  const api = await openApi(start, services, { timeouts, tracing, files });
  startKeyLoader(start, register);
  startDispatcher(start, { store, register, sender });
  startCourier(start, { store, register, mailer, publicUrl: services.console.publicUrl });
  startPatchMaker(start, store, files.objects);

  const running = opened.move();
  return {
    apiUrl: settings.port === 0 ? urlOf(api.server, settings.host) : settings.publicUrl,
    objectsUrl: files.gateway && files.objects.linkOrigin,
    services,
    async drain() {
      readiness.stop();
      api.closer.stopListening();
      files.gateway?.closer.stopListening();
      eventStreams.close();
      await delay(Math.min(DRAIN_MS, settings.shutdownSeconds * 1000));
    },
    close() {
      readiness.stop();
      return running.disposeAsync();
    },
  };
}
