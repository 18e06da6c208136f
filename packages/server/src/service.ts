/** Puts all parts of the service together. */
import { once } from "node:events";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { OutboxMailer } from "./adapters/mail/mailer.ts";
import { createMetrics, type Metrics } from "./adapters/monitoring/metrics.ts";
import { ReadinessCheck } from "./adapters/monitoring/readiness.ts";
import { addStateMetrics } from "./adapters/monitoring/state-metrics.ts";
import type { Tracing } from "./adapters/monitoring/tracing.ts";
import { diskStore } from "./adapters/objects/disk.ts";
import { createGateway } from "./adapters/objects/gateway.ts";
import { createHandOver } from "./adapters/objects/hand-over.ts";
import { gatewayAuthority, openObjects } from "./adapters/objects/open.ts";
import { openStore } from "./adapters/sql/open.ts";
import { openCeremonies } from "./adapters/webauthn/ceremonies.ts";
import type { IdentityProvider } from "./domain/accounts/identity.ts";
import { Comparer } from "./domain/builds/changes/comparer.ts";
import { Lookups } from "./domain/builds/lookup/lookup.ts";
import { ObjectBlocks } from "./domain/builds/lookup/object-blocks.ts";
import type { HandOver, ObjectStore } from "./domain/builds/object-store.ts";
import { History, type Spool } from "./domain/downloads/history.ts";
import { directorySpool } from "./domain/downloads/spool.ts";
import { EventFeed } from "./domain/events/feed.ts";
import { startEventMaintenance } from "./domain/events/maintenance.ts";
import { LimitCounters } from "./domain/limits/counters.ts";
import { NoticeCourier } from "./domain/notices/courier.ts";
import { makePatchInThread } from "./domain/patches/make-patch.ts";
import { PATCH_DIRECTORY, PATCH_LIMITS, PatchMaker } from "./domain/patches/maker.ts";
import { startSweeper } from "./domain/retention/sweeper.ts";
import { programsOf } from "./domain/sign-ins/program.ts";
import type { Store } from "./domain/store.ts";
import { startUsageUpdates } from "./domain/usage/updater.ts";
import { Dispatcher } from "./domain/webhooks/dispatcher.ts";
import { createSender, type Sender } from "./domain/webhooks/sender.ts";
import type { DeliveryOutcome } from "./domain/webhooks/webhook.ts";
import { createApp, TIMEOUTS, type Timeouts } from "./http/app.ts";
import { ACCESS_REQUESTS, INVITATIONS, SignInThrottle } from "./http/console/throttle.ts";
import { EventStreams } from "./http/event-streams.ts";
import { signInLimits } from "./http/oauth/throttle.ts";
import type { Services } from "./http/route.ts";
import { TokenBuckets } from "./http/token-buckets.ts";
import { WEBHOOK_REQUESTS } from "./http/webhooks/routes.ts";
import { type Clock, systemClock } from "./platform/primitives/clock.ts";
import { DelayedWrites } from "./platform/primitives/delayed-writes.ts";
import { conflict } from "./platform/primitives/faults.ts";
import { type Closer, closerOf } from "./platform/runtime/close-server.ts";
import { limitConnections } from "./platform/runtime/connection-limit.ts";
import { failedToListen, listen, urlOf } from "./platform/runtime/listen.ts";
import { createLog } from "./platform/runtime/log.ts";
import { VERSION } from "./platform/version.ts";
import { loadKeys } from "./register/load-keys.ts";
import { Register } from "./register/register.ts";
import { type Watch, watchRegister } from "./register/watch.ts";
import { settingsReport } from "./settings/report.ts";
import { prepareDirectories } from "./settings/requirements.ts";
import { rulesOf } from "./settings/rules.ts";
import type { Settings } from "./settings/settings.ts";

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

/** Passed to every part. A part adds its own end to `opened`, which closes the parts in reverse order. */
interface Start {
  settings: Settings;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  opened: AsyncDisposableStack;
  onFailure(message: string, error: unknown): void;
}

/** Everything that `serve` runs, in one process. */
export async function startService(settings: Settings, options: ServiceOptions = {}): Promise<Service> {
  const { clock = systemClock, log = createLog(settings.logLevel), timeouts = TIMEOUTS } = options;
  await using opened = new AsyncDisposableStack();
  const onFailure = (message: string, error: unknown) => log.error({ err: error }, message);
  const start: Start = { settings, clock, log, metrics: createMetrics(), opened, onFailure };

  const store = await openDatabase(start, options);
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

async function openDatabase({ settings, log, opened }: Start, { checkStore }: ServiceOptions): Promise<Store> {
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  opened.defer(() => store.close());
  await prepareSchema(store, settings, log);
  await checkStore?.(store);
  return store;
}

/** Brings the schema up to date, or fails if `serve` may not change it. */
export async function prepareSchema(store: Store, settings: Settings, log: Logger): Promise<void> {
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

interface Files {
  objects: ObjectStore;
  /** Undefined if the server sends all files itself. */
  handOver: HandOver | undefined;
  /** Undefined if the files are in S3, which serves them itself. */
  gateway: { server: Server; closer: Closer } | undefined;
}

/** Opens the object store. If the files are in a directory, starts the gateway too. */
async function openFiles({ settings, clock, log, metrics, opened }: Start): Promise<Files> {
  const { objects: address, host, objectsPort, trustedProxies, sendfile } = settings;
  const handOver = sendfile && createHandOver(sendfile, trustedProxies);
  if (address.store !== "disk") return { objects: await openObjects(settings), handOver, gateway: undefined };
  const disk = {
    folder: address.folder,
    authority: await gatewayAuthority(settings.dataDir),
    isGroupReadable: sendfile !== undefined,
  };
  // The gateway only reads. Links can be signed only once its port is known.
  const store = diskStore({ ...disk, linkOrigin: "http://localhost" });
  const server = createGateway({
    store,
    authority: disk.authority,
    now: clock,
    trustedProxies,
    handOver,
    log: accessLog(settings, log),
    metrics,
  });
  await listen(server, objectsPort, host).catch(failedToListen(host, "DBDEPOT_OBJECTS_PORT"));
  const closer = closerOf(server, settings.shutdownSeconds, () => once(server.close(), "close"));
  opened.defer(() => closer.close());
  const gatewayUrl = urlOf(server, host);
  const linkOrigin = objectsPort === 0 ? gatewayUrl : (settings.objectsPublicUrl ?? gatewayUrl);
  return { objects: diskStore({ ...disk, linkOrigin }), handOver, gateway: { server, closer } };
}

async function openRegister({ settings, opened, onFailure }: Start, store: Store) {
  const register = new Register(store);
  await register.refresh();
  const database = watchRegister(register, settings.outageGraceSeconds, (error) =>
    onFailure("the database is unreachable", error),
  );
  opened.defer(() => database.stop());
  return { register, database };
}

async function openHistory({ settings, metrics, opened, onFailure }: Start, store: Store) {
  const spool = directorySpool(join(settings.dataDir, "spool"), onFailure);
  const history = new History(store.attempts, spool, {
    onFailure,
    onCommit(attempts, seconds) {
      metrics.commitAttempts.observe(attempts);
      metrics.commitSeconds.observe(seconds);
    },
  });
  await history.start();
  opened.defer(() => history.close());
  return { history, spool };
}

/** Counts what organizations with limits use. */
function openLimits({ clock, opened, onFailure }: Start, store: Store, register: Register): LimitCounters {
  const limits = new LimitCounters({
    store,
    limitsOf: (organizationId) => register.limits(organizationId),
    clock,
    onFailure: (error) => onFailure("what organizations have used of their limits could not be read", error),
  });
  opened.defer(() => limits.stop());
  return limits;
}

/** Counts downloads, removes what the settings no longer keep, and adds the events that are due. */
function startMaintenance(
  { settings, clock, metrics, opened, onFailure }: Start,
  store: Store,
  objects: ObjectStore,
): void {
  const sweeper = startSweeper({
    store,
    objects,
    policy: settings.retention,
    clock,
    onRemoved: (kind, count) => metrics.retentionRemoved.inc({ kind }, count),
    onFailure: (kind, error) => onFailure(`old ${kind} could not be removed`, error),
  });
  opened.defer(() => sweeper.stop());
  const usage = startUsageUpdates({
    usage: store.usage,
    clock,
    onUpdate: (seconds) => metrics.usageUpdateSeconds.observe(seconds),
    onFailure(error) {
      metrics.usageUpdateFailures.inc();
      onFailure("usage totals could not be updated; retrying", error);
    },
  });
  opened.defer(() => usage.stop());
  const upkeep = startEventMaintenance(store, clock, (error) =>
    onFailure("events could not be updated; retrying", error),
  );
  opened.defer(() => upkeep.stop());
}

function openDelayedWrites<Value>(
  { opened }: Start,
  ...args: ConstructorParameters<typeof DelayedWrites<Value>>
): DelayedWrites<Value> {
  const writes = new DelayedWrites<Value>(...args);
  opened.defer(() => writes.close());
  return writes;
}

interface Watched {
  store: Store;
  objects: ObjectStore;
  register: Register;
  database: Watch;
  spool: Spool;
}

function openReadiness({ metrics, clock }: Start, { store, objects, register, database, spool }: Watched) {
  const readiness = new ReadinessCheck({ objects, database, spool });
  addStateMetrics(metrics, {
    register,
    database,
    spool,
    readiness,
    webhooks: store.webhooks,
    requests: store.requests,
    notices: store.notices,
    clock,
  });
  return readiness;
}

async function openFeed({ opened, onFailure }: Start, store: Store, register: Register): Promise<EventFeed> {
  const feed = new EventFeed(store.events, register, (error) => onFailure("events could not be read; retrying", error));
  await feed.start();
  opened.defer(() => feed.stop());
  return feed;
}

async function openMail({ settings: { mail }, opened, onFailure }: Start): Promise<OutboxMailer | undefined> {
  if (!mail) return undefined;
  // Imported on demand, because few servers send e-mail.
  const { openMailer } = await import("./adapters/mail/mailer.ts");
  const mailer = openMailer(mail, (error) => onFailure("an e-mail could not be sent", error));
  opened.defer(async () => mailer.close());
  return mailer;
}

async function openIdentityProvider({ oidc }: Settings): Promise<IdentityProvider | undefined> {
  if (!oidc) return undefined;
  // Imported on demand, because not every server has one.
  const { openProvider } = await import("./adapters/oidc/provider.ts");
  return openProvider(oidc);
}

async function openTracing({ settings: { otlpEndpoint }, log, opened }: Start): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  // Imported on demand: few servers use it, and it is slow to load.
  const { startTracing } = await import("./adapters/monitoring/tracing.ts");
  const tracing = await startTracing(otlpEndpoint, log);
  opened.defer(() => tracing.close());
  return tracing;
}

interface ApiOptions {
  timeouts: Timeouts;
  tracing: Tracing | undefined;
  files: Files;
}

/** Serves the API and the console. */
async function openApi({ settings, log, opened }: Start, services: Services, options: ApiOptions) {
  const { host, port, trustedProxies, rateLimit, shutdownSeconds } = settings;
  const { timeouts, tracing, files } = options;
  const { handOver, gateway } = files;
  const requests = accessLog(settings, log);
  const app = await createApp({
    services,
    log,
    accessLog: requests,
    trustedProxies,
    rateLimit,
    timeouts,
    handOver,
    tracing,
  });
  const closer = closerOf(app.server, shutdownSeconds, () => app.close());
  // Both close concurrently, so that they share the grace period for in-flight responses.
  opened.defer(async () => {
    await Promise.all([closer.close(), gateway?.closer.close()]);
  });
  opened.defer(async () => services.eventStreams.close());
  limitConnections(gateway ? [app.server, gateway.server] : [app.server], log);
  await app.listen({ port, host }).catch(failedToListen(host, "DBDEPOT_PORT"));
  return { server: app.server, closer };
}

/** Returns the log for requests, which may be turned off. Their failures are logged in any case. */
function accessLog(settings: Settings, log: Logger): Logger {
  return settings.accessLog ? log : log.child({}, { level: "warn" });
}

function startKeyLoader({ opened, onFailure }: Start, register: Register): void {
  const keyLoader = loadKeys(register, (error) => onFailure("failed to load keys; retrying", error));
  opened.defer(() => keyLoader.stop());
}

function startComparer(
  { clock, metrics, opened, onFailure }: Start,
  parts: { store: Store; objects: ObjectStore; register: Register },
): Comparer {
  const onCompared = (result: string) => metrics.comparisons.inc({ result });
  const comparer = new Comparer({ ...parts, clock, onCompared, onFailure });
  comparer.start();
  opened.defer(() => comparer.stop());
  return comparer;
}

function startDispatcher(
  { clock, metrics, opened, onFailure }: Start,
  parts: { store: Store; register: Register; sender: Sender },
): void {
  const onDelivery = (outcome: DeliveryOutcome) => metrics.webhookDeliveries.inc({ outcome });
  const dispatcher = new Dispatcher({ ...parts, clock, onDelivery, onFailure });
  dispatcher.start();
  opened.defer(() => dispatcher.stop());
}

/** Writes and sends notifications, if the server sends e-mail. */
function startCourier(
  { settings, clock, metrics, opened, onFailure }: Start,
  parts: { store: Store; register: Register; mailer: OutboxMailer | undefined; publicUrl(): string },
): void {
  const { store, register, mailer, publicUrl } = parts;
  const { digestHour: hour, operatorMail, brand } = settings;
  if (!mailer || hour === null) return;
  const letterhead = () => ({ brand, publicUrl: publicUrl() });
  const onAttempt = (result: string) => metrics.mails.inc({ result });
  const courier = new NoticeCourier({
    store,
    register,
    mailer,
    letterhead,
    hour,
    operatorMail,
    clock,
    onAttempt,
    onFailure,
  });
  courier.start();
  opened.defer(() => courier.stop());
}

/** Makes patches, unless the settings leave that to another machine, and removes superseded ones. */
function startPatchMaker(
  { settings, clock, log, metrics, opened, onFailure }: Start,
  store: Store,
  objects: ObjectStore,
) {
  const maker = new PatchMaker({
    store,
    objects,
    clock,
    bases: settings.patchBases,
    directory: join(settings.dataDir, PATCH_DIRECTORY),
    limits: PATCH_LIMITS,
    linkTtlSeconds: settings.linkTtlSeconds,
    makePatch: makePatchInThread,
    onPatch(patch) {
      const { versionId, format, baseBuildId, file, reason, durationMs } = patch;
      metrics.patches.inc({ format, outcome: file ? "made" : "dropped" });
      const facts = { version: versionId, format, from: baseBuildId, bytes: file?.sizeBytes, reason, ms: durationMs };
      log.info(facts, file ? "made a patch" : "dropped a patch");
    },
    onFailure,
  });
  maker.start();
  opened.defer(() => maker.stop());
}

/** If the system chose the port, only the server knows it. */
function publicUrlOf({ publicUrl, host }: Settings, server: Server): string {
  return new URL(publicUrl).port === "0" ? urlOf(server, host) : publicUrl;
}
