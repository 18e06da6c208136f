/** Puts all parts together. Only this file and context.ts import both http/ and the databases and object stores. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { AggregatorRegistry, collectDefaultMetrics } from "prom-client";
import type { IdentityProvider } from "./accounts/identity.ts";
import type { CommandContext } from "./commands/context.ts";
import { gatewayAuthority, openObjects } from "./context.ts";
import { History } from "./downloads/history.ts";
import { keepHistoryFor } from "./downloads/retention.ts";
import { directorySpool } from "./downloads/spool.ts";
import { EventFeed } from "./events/feed.ts";
import { keepEvents } from "./events/upkeep.ts";
import { createApp } from "./http/app.ts";
import { ACCESS_REQUESTS, SignInThrottle } from "./http/console/throttle.ts";
import { EventStreams } from "./http/event-streams.ts";
import type { Services } from "./http/route.ts";
import { TIMEOUTS, type Timeouts } from "./http/timeouts.ts";
import { TokenBuckets } from "./http/token-buckets.ts";
import { WEBHOOK_REQUESTS } from "./http/webhooks/requests.ts";
import { LastUsed } from "./keys/last-used.ts";
import { Lookups } from "./lookups/lookup.ts";
import { ObjectBlocks } from "./lookups/object-blocks.ts";
import type { Mailer } from "./mail/mailer.ts";
import { keyFiles } from "./manifests/key-files.ts";
import { createMetrics, type Metrics } from "./monitoring/metrics.ts";
import { type MetricsServer, startMetricsServer } from "./monitoring/metrics-server.ts";
import { ReadinessCheck } from "./monitoring/readiness.ts";
import { addStateMetrics } from "./monitoring/state-metrics.ts";
import type { Tracing } from "./monitoring/tracing.ts";
import { diskStore } from "./objects/disk.ts";
import { createGateway } from "./objects/gateway.ts";
import type { ObjectStore } from "./objects/store.ts";
import { type Clock, systemClock } from "./primitives/clock.ts";
import { conflict, invalid } from "./primitives/faults.ts";
import { loadKeys } from "./register/load-keys.ts";
import { Register } from "./register/register.ts";
import { watchRegister } from "./register/watch.ts";
import { closerOf } from "./runtime/close-server.ts";
import { limitConnections } from "./runtime/connection-limit.ts";
import { prepareDirectories } from "./runtime/data-directory.ts";
import { createLog } from "./runtime/log.ts";
import { isSupervised, leaveSupervisor, stopSignal, superviseProcesses } from "./runtime/processes.ts";
import type { Settings } from "./settings.ts";
import { settingsReport } from "./settings-report.ts";
import { openStore } from "./sql/open.ts";
import type { Store } from "./store.ts";
import { createHandOver, type HandOver } from "./transfers/hand-over.ts";
import { VERSION } from "./version.ts";
import { Dispatcher } from "./webhooks/dispatcher.ts";
import { createSender } from "./webhooks/sender.ts";

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
  const closing: (() => Promise<unknown>)[] = [() => store.close()];
  try {
    await prepareSchema(store, settings, log);
    const { trustedProxies, rateLimit, sendfile, shutdownSeconds } = settings;
    const metrics = createMetrics();
    const handOver = sendfile && createHandOver(sendfile, trustedProxies);
    const { objects, gateway } = await openServedObjects(settings, { handOver, metrics, clock, log });
    const gatewayCloser = gateway && closerOf(gateway, shutdownSeconds, () => once(gateway.close(), "close"));
    if (gatewayCloser) closing.unshift(() => gatewayCloser.close());
    const register = new Register(store);
    await register.refresh();
    const watch = watchRegister(register, settings.outageGraceSeconds, (error) =>
      log.error({ err: error }, "the database is unreachable"),
    );
    closing.unshift(() => watch.stop());
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
    closing.unshift(() => history.close());
    const retention = keepHistoryFor(store.attempts, settings.historyRetentionDays, clock, (error) =>
      log.error({ err: error }, "old attempts could not be removed"),
    );
    closing.unshift(async () => retention.stop());
    const upkeep = keepEvents(store, clock, (error) =>
      log.error({ err: error }, "events could not be updated; retrying"),
    );
    closing.unshift(() => upkeep.stop());
    const lastUsed = new LastUsed(store.keys);
    closing.unshift(() => lastUsed.close());
    const readiness = new ReadinessCheck({ objects, register, database: watch, spool });
    addStateMetrics(metrics, { register, database: watch, spool, readiness, webhooks: store.webhooks, clock });
    const mailer = await openMail(settings, log);
    if (mailer) closing.unshift(async () => mailer.close());
    const { webhookPrivateNetworks: privateNetworks } = settings;
    const sender = createSender({ privateNetworks });
    const feed = new EventFeed(store.events, register, (error) =>
      onFailure("events could not be read; retrying", error),
    );
    await feed.start();
    closing.unshift(() => feed.stop());
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
        lookups: new Lookups(new ObjectBlocks(objects)),
        onError: onFailure,
      },
      webhooks: { sender, privateNetworks, requests: new TokenBuckets(WEBHOOK_REQUESTS) },
    };
    const tracing = await openTracing(settings, log);
    if (tracing) closing.unshift(() => tracing.close());
    const app = await createApp({ services, log, trustedProxies, rateLimit, timeouts, handOver, tracing });
    const appCloser = closerOf(app.server, shutdownSeconds, () => app.close());
    // Concurrently, so that they share the grace period for in-flight responses.
    closing.unshift(() => Promise.all([appCloser.close(), gatewayCloser?.close()]));
    closing.unshift(async () => eventStreams.close());
    limitConnections(gateway ? [app.server, gateway] : [app.server], log);
    await app.listen({ port: settings.port, host: settings.host }).catch(failedToListen(settings.host, "DBDEPOT_PORT"));
    const keyLoader = loadKeys(register, (error) => log.error({ err: error }, "failed to load keys; retrying"));
    closing.unshift(() => keyLoader.stop());
    const dispatcher = new Dispatcher({
      store,
      register,
      sender,
      clock,
      onDelivery: (outcome) => metrics.webhookDeliveries.inc({ outcome }),
      onFailure,
    });
    dispatcher.start();
    closing.unshift(() => dispatcher.stop());
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
        return closeAll(closing);
      },
    };
  } catch (error) {
    await closeAll(closing);
    throw error;
  }
}

/** Serves until SIGINT or SIGTERM, from as many processes as are set. */
export async function serve({ settings, output }: CommandContext): Promise<void> {
  if (settings.workers > 1 && !isSupervised()) return supervise(settings, (text) => output.info(text));
  const log = createLog(settings.logLevel);
  const service = await startService(settings, { log });
  await using metricsServer = await serveMetrics(settings, service.services.metrics);
  const addresses = addressesOf(service, metricsServer?.url);
  // With --json, stdout has log lines only.
  if (output.isJson) log.info(addresses.json, "serving");
  else if (!isSupervised()) output.print(addresses);
  await stopSignal();
  await service.drain();
  await service.close();
  leaveSupervisor();
}

export function addressesOf({ apiUrl, objectsUrl }: Service, metricsUrl?: string) {
  const lines = [
    `API      ${apiUrl}`,
    ...(objectsUrl ? [`Files    ${objectsUrl}`] : []),
    ...(metricsUrl ? [`Metrics  ${metricsUrl}`] : []),
  ];
  return {
    json: { api_url: apiUrl, objects_url: objectsUrl ?? null, metrics_url: metricsUrl ?? null },
    text: `${lines.join("\n")}\n`,
  };
}

/** Gauges named `_total`, which promtool rejects. The same numbers are available by type. */
const MISNAMED_METRICS = ["handles", "requests", "resources"].map((kind) => `nodejs_active_${kind}_total`);

/** The supervisor serves the metrics of all its processes. */
async function serveMetrics({ metrics: address }: Settings, { registry }: Metrics): Promise<MetricsServer | undefined> {
  if (!address) return undefined;
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED_METRICS) registry.removeSingleMetric(name);
  if (!isSupervised()) return startMetricsServer(address, () => registry.metrics());
  // Creating one makes this process answer the supervisor's requests for its metrics.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(registry);
  return undefined;
}

async function openMail({ mail }: Settings, log: Logger): Promise<Mailer | undefined> {
  if (!mail) return undefined;
  // Imported on demand, because few servers send e-mail.
  const { openMailer } = await import("./mail/mailer.ts");
  return openMailer(mail, (error) => log.error({ err: error }, "an e-mail could not be sent"));
}

async function openIdentityProvider({ oidc }: Settings): Promise<IdentityProvider | undefined> {
  if (!oidc) return undefined;
  // Imported on demand, because not every server has one.
  const { openProvider } = await import("./oidc/provider.ts");
  return openProvider(oidc);
}

async function openTracing({ otlpEndpoint }: Settings, log: Logger): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined;
  // Imported on demand: few servers use it, and it is slow to load.
  const { startTracing } = await import("./monitoring/tracing.ts");
  return startTracing(otlpEndpoint, log);
}

async function supervise(settings: Settings, say: (line: string) => void): Promise<void> {
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  await prepareSchema(store, settings, createLog(settings.logLevel)).finally(() => store.close());
  const aggregator = new AggregatorRegistry();
  await using metricsServer = settings.metrics
    ? await startMetricsServer(settings.metrics, () => aggregator.clusterMetrics())
    : undefined;
  const metricsLine = metricsServer ? `Metrics  ${metricsServer.url}\n` : "";
  say(`API      ${settings.publicUrl} (${settings.workers} processes)\n${metricsLine}`);
  await superviseProcesses(settings.workers, (pid) => say(`process ${pid} died; starting another\n`));
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

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** Says which setting to change if a server cannot listen on its port. */
function failedToListen(host: string, setting: string): (error: NodeJS.ErrnoException & { port?: number }) => never {
  return ({ code, port, message }) => {
    if (code !== "EADDRINUSE") throw invalid(`cannot listen on ${host}: ${message}`);
    throw invalid(
      `cannot listen on ${host}:${port}: the port is in use (EADDRINUSE); stop the other process, or set ${setting} to another port`,
    );
  };
}

async function closeAll(closing: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closing) await close();
}
