import { once } from "node:events";
import type { Server } from "node:http";
import type { Logger } from "pino";
import type { Tracing } from "../adapters/monitoring/tracing.ts";
import { diskStore } from "../adapters/objects/disk.ts";
import { withEdgeLinks } from "../adapters/objects/edge-links.ts";
import { createGateway } from "../adapters/objects/gateway.ts";
import { createHandOver } from "../adapters/objects/hand-over.ts";
import { gatewayAuthority, openObjects } from "../adapters/objects/open.ts";
import type { HandOver, ObjectStore } from "../domain/builds/object-store.ts";
import { createApp, type Timeouts } from "../http/app.ts";
import type { Services } from "../http/route.ts";
import { type Closer, closerOf } from "../platform/runtime/close-server.ts";
import { limitConnections } from "../platform/runtime/connection-limit.ts";
import { failedToListen, listen, urlOf } from "../platform/runtime/listen.ts";
import type { Settings } from "../settings/settings.ts";
import type { Start } from "./start.ts";

interface Files {
  objects: ObjectStore;
  /** Undefined if the server sends all files itself. */
  handOver: HandOver | undefined;
  /** Undefined if the files are in S3, which serves them itself. */
  gateway: { server: Server; closer: Closer; url: string } | undefined;
}

/** Opens the object store. If the files are in a directory, starts the gateway too. */
export async function openFiles({ settings, clock, log, metrics, opened }: Start): Promise<Files> {
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
  const url = objectsPort === 0 ? gatewayUrl : (settings.objectsPublicUrl ?? gatewayUrl);
  const objects = diskStore({ ...disk, linkOrigin: url });
  const { edge } = settings;
  return { objects: edge ? withEdgeLinks(objects, edge) : objects, handOver, gateway: { server, closer, url } };
}

interface ApiOptions {
  timeouts: Timeouts;
  tracing: Tracing | undefined;
  files: Files;
}

/** Serves the API and the console. */
export async function openApi({ settings, log, opened }: Start, services: Services, options: ApiOptions) {
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

/** If the system chose the port, only the server knows it. */
export function publicUrlOf({ publicUrl, host }: Settings, server: Server): string {
  return new URL(publicUrl).port === "0" ? urlOf(server, host) : publicUrl;
}

/** Returns the log for requests, which may be turned off. Their failures are logged in any case. */
function accessLog(settings: Settings, log: Logger): Logger {
  return settings.accessLog ? log : log.child({}, { level: "warn" });
}
