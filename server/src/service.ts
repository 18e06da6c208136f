/** The composition root: with context.ts, the only file that knows both the adapters and http/. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import type { Logger } from "pino";
import type { CommandContext } from "./commands/context.ts";
import { gatewayAuthority, openObjects } from "./context.ts";
import { History } from "./downloads/history.ts";
import { keepHistoryFor } from "./downloads/retention.ts";
import { directorySpool } from "./downloads/spool.ts";
import { createApp } from "./http/app.ts";
import type { Services } from "./http/route.ts";
import type { Timeouts } from "./http/timeouts.ts";
import { LastUsed } from "./keys/last-used.ts";
import { diskStore } from "./objects/disk.ts";
import { createGateway } from "./objects/gateway.ts";
import type { ObjectStore } from "./objects/store.ts";
import { type Clock, systemClock } from "./primitives/clock.ts";
import { conflict } from "./primitives/faults.ts";
import { loadKeys } from "./register/load-keys.ts";
import { Register } from "./register/register.ts";
import { watchRegister } from "./register/watch.ts";
import { limitConnections } from "./runtime/connection-limit.ts";
import { prepareDirectories } from "./runtime/data-directory.ts";
import { createLog } from "./runtime/log.ts";
import { isSupervised, leaveSupervisor, stopSignal, superviseProcesses } from "./runtime/processes.ts";
import type { Settings } from "./settings.ts";
import { openStore } from "./sql/open.ts";
import type { Store } from "./store.ts";
import { createHandOver, type HandOver } from "./transfers/hand-over.ts";

const CLOSE_GRACE_MS = 10_000;
const CLOSE_SWEEP_MS = 100;

export interface Service {
  apiUrl: string;
  /** Undefined if the files are in S3, which serves them itself. */
  objectsUrl: string | undefined;
  parts: Services;
  close(): Promise<void>;
}

export interface ServiceOptions {
  clock?: Clock;
  log?: Logger;
  timeouts?: Timeouts;
}

/** Everything that `serve` runs, in one process. */
export async function startService(settings: Settings, options: ServiceOptions = {}): Promise<Service> {
  const { clock = systemClock, log = createLog(settings.logLevel), timeouts } = options;
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  const closing: (() => Promise<unknown>)[] = [() => store.close()];
  try {
    await prepareSchema(store, settings, log);
    const { trustedProxies, rateLimit, sendfile } = settings;
    const handOver = sendfile && createHandOver(sendfile, trustedProxies);
    const { objects, gateway } = await openServedObjects(settings, handOver, clock, log);
    if (gateway) closing.unshift(closerOf(gateway, () => once(gateway.close(), "close")));
    const register = new Register(store);
    await register.refresh();
    const watch = watchRegister(register, settings.outageGraceSeconds, (error) =>
      log.error({ err: error }, "the database is out of reach"),
    );
    closing.unshift(() => watch.stop());
    const onFailure = (message: string, error: unknown) => log.error({ err: error }, message);
    const spool = directorySpool(join(settings.dataDir, "spool"), onFailure);
    const history = new History(store.attempts, spool, { onFailure });
    await history.start();
    closing.unshift(() => history.close());
    const retention = keepHistoryFor(store.attempts, settings.historyRetentionDays, clock, (error) =>
      log.error({ err: error }, "old attempts could not be removed"),
    );
    closing.unshift(async () => retention.stop());
    const lastUsed = new LastUsed(store.keys);
    closing.unshift(() => lastUsed.close());
    const services: Services = {
      store,
      register,
      history,
      objects,
      clock,
      linkTtlSeconds: settings.linkTtlSeconds,
      maxKeysPerOrganization: settings.maxKeysPerOrganization,
      lastUsed,
      database: watch,
    };
    const app = await createApp({ services, log, trustedProxies, rateLimit, timeouts, handOver });
    closing.unshift(closerOf(app.server, () => app.close()));
    limitConnections(gateway ? [app.server, gateway] : [app.server], log);
    await app.listen({ port: settings.port, host: settings.host });
    const keyLoader = loadKeys(register, (error) => log.error({ err: error }, "failed to load keys; retrying"));
    closing.unshift(() => keyLoader.stop());
    return {
      apiUrl: settings.port === 0 ? urlOf(app.server, settings.host) : settings.publicUrl,
      objectsUrl: gateway && objects.linkOrigin,
      parts: services,
      close: () => closeAll(closing),
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
  // With --json, stdout has log lines only.
  if (output.isJson) log.info(addressesOf(service).json, "serving");
  else if (!isSupervised()) output.print(addressesOf(service));
  await stopSignal();
  await service.close();
  leaveSupervisor();
}

export function addressesOf({ apiUrl, objectsUrl }: Service) {
  const files = objectsUrl ? `and files, by link, on ${objectsUrl}\n` : "";
  return {
    json: { api_url: apiUrl, objects_url: objectsUrl ?? null },
    text: `dbdepot serves the API on ${apiUrl}\n${files}`,
  };
}

async function supervise(settings: Settings, say: (line: string) => void): Promise<void> {
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  await prepareSchema(store, settings, createLog(settings.logLevel)).finally(() => store.close());
  say(`dbdepot serves the API on ${settings.publicUrl} from ${settings.workers} processes\n`);
  await superviseProcesses(settings.workers, (pid) => say(`the process ${pid} died; another takes its place\n`));
}

async function prepareSchema(store: Store, settings: Settings, log: Logger): Promise<void> {
  if (settings.migrateOnStart) {
    for (const name of await store.migrate()) log.info({ migration: name }, "schema brought up to date");
    return;
  }
  const pending = await store.pendingMigrations();
  if (pending.length > 0) {
    throw conflict(
      `the database's schema is not up to date (${pending.join(", ")}) and DBDEPOT_MIGRATE is never: run "dbdepot-server migrate"`,
    );
  }
}

/** With the gateway before it where the files lie in a folder. */
async function openServedObjects(
  settings: Settings,
  handOver: HandOver | undefined,
  clock: Clock,
  log: Logger,
): Promise<{ objects: ObjectStore; gateway?: Server }> {
  const { objects, trustedProxies, sendfile } = settings;
  if (objects.store !== "disk") return { objects: await openObjects(settings) };
  const authority = await gatewayAuthority(settings);
  const { folder } = objects;
  // The gateway reads and signs nothing; links can be signed only once its port is known.
  const isGroupReadable = sendfile !== undefined;
  const read = diskStore({ folder, linkOrigin: "http://localhost", authority, isGroupReadable });
  const gateway = createGateway({ store: read, authority, now: clock, trustedProxies, handOver, log });
  await listen(gateway, settings.objectsPort, settings.host);
  const linkOrigin = settings.objectsPort === 0 ? urlOf(gateway, settings.host) : settings.objectsPublicUrl;
  return {
    objects: diskStore({ folder, linkOrigin: linkOrigin ?? urlOf(gateway, settings.host), authority, isGroupReadable }),
    gateway,
  };
}

function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** Returns a function that lets in-flight responses finish for a while, then closes their connections. */
function closerOf(server: Server, close: () => Promise<unknown>): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const closeIdleConnections = () => {
    server.closeIdleConnections();
    // Node does not count those among them that have never sent anything.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  return async () => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    // A keep-alive connection becomes idle only after its response, and would stay open for the next request.
    const sweeper = setInterval(closeIdleConnections, CLOSE_SWEEP_MS);
    await close();
    clearInterval(sweeper);
    clearTimeout(timer);
  };
}

async function closeAll(closing: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closing) await close();
}
