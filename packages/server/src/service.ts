/** Puts all parts together. Only this file and context.ts import both http/ and the databases and object stores. */
import { once } from "node:events";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Mailer } from "./adapters/mail/mailer.ts";
import { createMetrics, type Metrics } from "./adapters/monitoring/metrics.ts";
import { ReadinessCheck } from "./adapters/monitoring/readiness.ts";
import { addStateMetrics } from "./adapters/monitoring/state-metrics.ts";
import type { Tracing } from "./adapters/monitoring/tracing.ts";
import { diskStore } from "./adapters/objects/disk.ts";
import { createGateway } from "./adapters/objects/gateway.ts";
import { openStore } from "./adapters/sql/open.ts";
import { gatewayAuthority, openObjects } from "./commands/context.ts";
import { requireNoDemoCredentials } from "./commands/demo/credentials.ts";
import type { IdentityProvider } from "./domain/accounts/identity.ts";
import { Lookups } from "./domain/builds/lookup/lookup.ts";
import { ObjectBlocks } from "./domain/builds/lookup/object-blocks.ts";
import type { ObjectStore } from "./domain/builds/object-store.ts";
import { History } from "./domain/downloads/history.ts";
import { keepHistoryFor } from "./domain/downloads/retention.ts";
import { directorySpool } from "./domain/downloads/spool.ts";
import { EventFeed } from "./domain/events/feed.ts";
import { keepEvents } from "./domain/events/upkeep.ts";
import { LastUsed } from "./domain/keys/last-used.ts";
import { keyFiles } from "./domain/manifests/key-files.ts";
import type { Store } from "./domain/store.ts";
import { Dispatcher } from "./domain/webhooks/dispatcher.ts";
import { createSender } from "./domain/webhooks/sender.ts";
import { createApp, TIMEOUTS, type Timeouts } from "./http/app.ts";
import { ACCESS_REQUESTS, INVITATIONS, SignInThrottle } from "./http/console/throttle.ts";
import { EventStreams } from "./http/event-streams.ts";
import type { Services } from "./http/route.ts";
import { TokenBuckets } from "./http/token-buckets.ts";
import { WEBHOOK_REQUESTS } from "./http/webhooks/routes.ts";
import { type Clock, systemClock } from "./platform/primitives/clock.ts";
import { conflict } from "./platform/primitives/faults.ts";
import { closerOf } from "./platform/runtime/close-server.ts";
import { limitConnections } from "./platform/runtime/connection-limit.ts";
import { prepareDirectories } from "./platform/runtime/data-directory.ts";
import { failedToListen, listen, urlOf } from "./platform/runtime/listen.ts";
import { createLog } from "./platform/runtime/log.ts";
import { createHandOver, type HandOver } from "./platform/transfers/hand-over.ts";
import { VERSION } from "./platform/version.ts";
import { loadKeys } from "./register/load-keys.ts";
import { Register } from "./register/register.ts";
import { watchRegister } from "./register/watch.ts";
import { settingsReport } from "./settings/report.ts";
import type { Settings } from "./settings/settings.ts";

export interface Service {
  apiUrl: string;
  /** Undefined if the files are in S3, which serves them itself. */
  objectsUrl: string | undefined;
  services: Services;
  /** Refuses new connections, and tells the clients of open ones to leave, before `close` closes them. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Long enough for a busy proxy to use each of its open connections once more and learn that it should leave. */
const DRAIN_MS = 1000;

export interface ServiceOptions {
  clock?: Clock;
  log?: Logger;
  timeouts?: Timeouts;
  /** Whether this is the demo. */
  isDemo?: boolean;
}

/** Everything that `serve` runs, in one process. */
export async function startService(settings: Settings, options: ServiceOptions = {}): Promise<Service> {
  const { clock = systemClock, log = createLog(settings.logLevel), timeouts, isDemo = false } = options;
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  await using starting = new AsyncDisposableStack();
  starting.defer(() => store.close());
  if (isDemo) await prepareSchema(store, settings, log);
  else await prepareStore(store, settings, log);
  const { trustedProxies, rateLimit, sendfile, shutdownSeconds } = settings;
  const metrics = createMetrics();
  const handOver = sendfile && createHandOver(sendfile, trustedProxies);
  const accessLog = settings.accessLog ? log : log.child({}, { level: "warn" });
  const { objects, gateway } = await openServedObjects(settings, { handOver, metrics, clock, log: accessLog });
  const gatewayCloser = gateway && closerOf(gateway, shutdownSeconds, () => once(gateway.close(), "close"));
  if (gatewayCloser) starting.defer(() => gatewayCloser.close());
  const register = new Register(store);
  await register.refresh();
  const watch = watchRegister(register, settings.outageGraceSeconds, (error) =>
    log.error({ err: error }, "the database is unreachable"),
  );
  starting.defer(() => watch.stop());
  const onFailure = (message: string, error: unknown) => log.error({ err: error }, message);
  const spool = directorySpool(join(settings.dataDir, "spool"), onFailure);
  const history = new History(store.attempts, spool, {
    onFailure,
    onCommit(attempts, seconds) {
      metrics.commitAttempts.observe(attempts);
      metrics.commitSeconds.observe(seconds);
    },
  });
  await history.start();
  starting.defer(() => history.close());
  const retention = keepHistoryFor(store.attempts, settings.historyRetentionDays, clock, (error) =>
    log.error({ err: error }, "old attempts could not be removed"),
  );
  starting.defer(async () => retention.stop());
  const upkeep = keepEvents(store, clock, (error) =>
    log.error({ err: error }, "events could not be updated; retrying"),
  );
  starting.defer(() => upkeep.stop());
  const lastUsed = new LastUsed(store.keys);
  starting.defer(() => lastUsed.close());
  const readiness = new ReadinessCheck({ objects, database: watch, spool });
  addStateMetrics(metrics, { register, database: watch, spool, readiness, webhooks: store.webhooks, clock });
  const mailer = await openMail(settings, log);
  if (mailer) starting.defer(async () => mailer.close());
  const { webhookPrivateNetworks: privateNetworks } = settings;
  const sender = createSender({ privateNetworks });
  const feed = new EventFeed(store.events, register, (error) => onFailure("events could not be read; retrying", error));
  await feed.start();
  starting.defer(() => feed.stop());
  const eventStreams = new EventStreams(
    {
      feed,
      register,
      database: watch,
      metrics,
      clock,
      onFailure: (error) => onFailure("an event stream could not be checked or resumed", error),
    },
    {
      total: () => Math.min(settings.eventStreams, Math.floor((app.server.maxConnections ?? Infinity) / 2)),
      perCaller: settings.eventStreamsPerKey,
      perOrganization: settings.eventStreamsPerOrganization,
      heartbeatMs: (timeouts ?? TIMEOUTS).heartbeatMs,
    },
  );
  const services: Services = {
    store,
    register,
    history,
    objects,
    clock,
    linkTtlSeconds: settings.linkTtlSeconds,
    maxKeysPerOrganization: settings.maxKeysPerOrganization,
    evaluationDays: settings.evaluationDays,
    privateKeys: keyFiles(settings.signingKeysDir),
    lastUsed,
    database: watch,
    metrics,
    readiness,
    eventStreams,
    console: {
      publicUrl: () => publicUrlOf(settings, app.server),
      version: VERSION,
      settings: settingsReport(settings),
      isDemo,
      mailer,
      provider: await openIdentityProvider(settings),
      throttle: new SignInThrottle(),
      operatorMail: settings.operatorMail,
      accessRequests: new TokenBuckets(ACCESS_REQUESTS),
      invitations: new TokenBuckets(INVITATIONS),
      lookups: new Lookups(new ObjectBlocks(objects)),
      onError: onFailure,
    },
    webhooks: { sender, privateNetworks, requests: new TokenBuckets(WEBHOOK_REQUESTS) },
  };
  const tracing = await openTracing(settings, log);
  if (tracing) starting.defer(() => tracing.close());
  const app = await createApp({ services, log, accessLog, trustedProxies, rateLimit, timeouts, handOver, tracing });
  const appCloser = closerOf(app.server, shutdownSeconds, () => app.close());
  // Concurrently, so that they share the grace period for in-flight responses.
  starting.defer(async () => {
    await Promise.all([appCloser.close(), gatewayCloser?.close()]);
  });
  starting.defer(async () => eventStreams.close());
  limitConnections(gateway ? [app.server, gateway] : [app.server], log);
  await app.listen({ port: settings.port, host: settings.host }).catch(failedToListen(settings.host, "DBDEPOT_PORT"));
  const keyLoader = loadKeys(register, (error) => log.error({ err: error }, "failed to load keys; retrying"));
  starting.defer(() => keyLoader.stop());
  const dispatcher = new Dispatcher({
    store,
    register,
    sender,
    clock,
    onDelivery: (outcome) => metrics.webhookDeliveries.inc({ outcome }),
    onFailure,
  });
  dispatcher.start();
  starting.defer(() => dispatcher.stop());
  const running = starting.move();
  return {
    apiUrl: settings.port === 0 ? urlOf(app.server, settings.host) : settings.publicUrl,
    objectsUrl: gateway && objects.linkOrigin,
    services,
    async drain() {
      readiness.stop();
      appCloser.stopListening();
      gatewayCloser?.stopListening();
      eventStreams.close();
      await delay(Math.min(DRAIN_MS, shutdownSeconds * 1000));
    },
    close() {
      readiness.stop();
      return running.disposeAsync();
    },
  };
}

async function openMail({ mail }: Settings, log: Logger): Promise<Mailer | undefined> {
  if (!mail) return undefined;
  // Imported on demand, because few servers send e-mail.
  const { openMailer } = await import("./adapters/mail/mailer.ts");
  return openMailer(mail, (error) => log.error({ err: error }, "an e-mail could not be sent"));
}

async function openIdentityProvider({ oidc }: Settings): Promise<IdentityProvider | undefined> {
  if (!oidc) return undefined;
  // Imported on demand, because not every server has one.
  const { openProvider } = await import("./adapters/oidc/provider.ts");
  return openProvider(oidc);
}

async function openTracing({ otlpEndpoint }: Settings, log: Logger): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  // Imported on demand: few servers use it, and it is slow to load.
  const { startTracing } = await import("./adapters/monitoring/tracing.ts");
  return startTracing(otlpEndpoint, log);
}

/** Brings the schema up to date, and refuses to serve data with credentials that the demo has printed. */
export async function prepareStore(store: Store, settings: Settings, log: Logger): Promise<void> {
  await prepareSchema(store, settings, log);
  await requireNoDemoCredentials(store);
}

async function prepareSchema(store: Store, settings: Settings, log: Logger): Promise<void> {
  if (settings.migrateOnStart) {
    for (const name of await store.migrate()) log.info({ migration: name }, "applied a migration");
    return;
  }
  const pending = await store.pendingMigrations();
  if (pending.length > 0) {
    throw conflict(
      `the database schema is out of date (missing: ${pending.join(", ")}) and DBDEPOT_MIGRATE is "never". Run "dbdepot-server migrate"`,
    );
  }
}

/** Also starts the gateway if the files are in a directory. */
async function openServedObjects(
  settings: Settings,
  { handOver, metrics, clock, log }: { handOver: HandOver | undefined; metrics: Metrics; clock: Clock; log: Logger },
): Promise<{ objects: ObjectStore; gateway?: Server }> {
  const { objects, trustedProxies, sendfile } = settings;
  if (objects.store !== "disk") return { objects: await openObjects(settings) };
  const authority = await gatewayAuthority(settings);
  const { folder } = objects;
  // The gateway reads and signs nothing; links can be signed only once its port is known.
  const isGroupReadable = sendfile !== undefined;
  const read = diskStore({ folder, linkOrigin: "http://localhost", authority, isGroupReadable });
  const gateway = createGateway({ store: read, authority, now: clock, trustedProxies, handOver, log, metrics });
  await listen(gateway, settings.objectsPort, settings.host).catch(
    failedToListen(settings.host, "DBDEPOT_OBJECTS_PORT"),
  );
  const linkOrigin = settings.objectsPort === 0 ? urlOf(gateway, settings.host) : settings.objectsPublicUrl;
  return {
    objects: diskStore({ folder, linkOrigin: linkOrigin ?? urlOf(gateway, settings.host), authority, isGroupReadable }),
    gateway,
  };
}

/** If the system chose the port, only the server knows it. */
function publicUrlOf({ publicUrl, host }: Settings, server: Server): string {
  return new URL(publicUrl).port === "0" ? urlOf(server, host) : publicUrl;
}
