/** Puts all parts of the service together. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { createMetrics } from "../adapters/monitoring/metrics.ts";
import { openCeremonies } from "../adapters/webauthn/ceremonies.ts";
import { isQuiet } from "../domain/backup/quiet.ts";
import { Lookups } from "../domain/builds/lookup/lookup.ts";
import { ObjectBlocks } from "../domain/builds/lookup/object-blocks.ts";
import { PendingPatches } from "../domain/patches/pending.ts";
import { programsOf } from "../domain/programs/program.ts";
import type { Store } from "../domain/store.ts";
import { createSender } from "../domain/webhooks/sender.ts";
import { TIMEOUTS, type Timeouts } from "../http/app.ts";
import { readSystemPackages } from "../http/client-packages.ts";
import { ACCESS_REQUESTS, INVITATIONS, SignInThrottle } from "../http/console/throttle.ts";
import { EventStreams } from "../http/event-streams.ts";
import { programLimits } from "../http/oauth/throttle.ts";
import type { Services } from "../http/route.ts";
import { RowStreams } from "../http/row-streams.ts";
import { TokenBuckets } from "../http/token-buckets.ts";
import { WEBHOOK_REQUESTS } from "../http/webhooks/routes.ts";
import { type Clock, systemClock } from "../platform/primitives/clock.ts";
import { urlOf } from "../platform/runtime/listen.ts";
import { createLog } from "../platform/runtime/log.ts";
import { VERSION } from "../platform/version.ts";
import { settingsReport } from "../settings/report.ts";
import { rulesOf } from "../settings/rules.ts";
import type { Settings } from "../settings/settings.ts";
import { startDigests, startDispatcher, startJobs, startKeyLoader, startMaintenance } from "./background.ts";
import { openBuckets } from "./buckets.ts";
import { openApi, openFiles, publicUrlOf } from "./listeners.ts";
import { openCourier } from "./mail.ts";
import { openIdentityProvider, openTracing } from "./optional.ts";
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
  const readiness = openReadiness(start, { store, objects: files.objects, register, database, spool, history });
  const courier = await openCourier(settings, store, () => services.console.publicUrl(), {
    clock,
    onAttempt: (result) => start.metrics.mails.inc({ result }),
    onFailure,
  });
  const rules = rulesOf(settings);
  const openBucket = openBuckets(settings, store, rules.secrets);
  const jobs = startJobs(start, { store, objects: files.objects, register, history, limits, openBucket });
  const sender = createSender({ privateNetworks: settings.webhookPrivateNetworks, isQuiet: () => isQuiet(store) });
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
    spool,
    limits,
    pendingPatches: new PendingPatches({
      store,
      clock,
      bases: settings.patchBases,
      waitSeconds: settings.patchWaitSeconds,
    }),
    objects: files.objects,
    clock,
    exportDirectory: join(settings.dataDir, "exports"),
    linkTtlSeconds: settings.linkTtlSeconds,
    linkRegionHeader: settings.linkRegionHeader,
    tableLinkTtlSeconds: settings.tableLinkTtlSeconds,
    rules,
    retention: settings.retention,
    lastUsed,
    sentBytes: openDelayedWrites<number>(start, (sent) => store.attempts.setSentBytes(sent)),
    database,
    metrics: start.metrics,
    readiness,
    eventStreams,
    rowStreams: new RowStreams(),
    jobs,
    console: {
      publicUrl: () => publicUrlOf(settings, api.server),
      version: VERSION,
      brand: settings.brand,
      settings: settingsReport(settings),
      isDemo: options.isDemo ?? false,
      courier,
      sendsNotices: courier !== undefined && settings.digestHour !== null,
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
    destinations: { openBucket, tests: new TokenBuckets(WEBHOOK_REQUESTS) },
    systemPackages: readSystemPackages(settings.clientsDir),
    programs: { known: programsOf(settings.programs), limits: programLimits() },
  };
  const tracing = await openTracing(start);
  const api = await openApi(start, services, { timeouts, tracing, files });
  startKeyLoader(start, register);
  startDispatcher(start, { store, register, sender });
  startDigests(start, { store, register, publicUrl: services.console.publicUrl });
  courier?.start();
  opened.defer(async () => courier?.stop());

  const running = opened.move();
  return {
    apiUrl: settings.port === 0 ? urlOf(api.server, settings.host) : settings.publicUrl,
    objectsUrl: files.gateway?.url,
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
