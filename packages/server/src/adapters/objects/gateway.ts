import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { ClientDisconnected } from "@dbdepot/formats/transfers/send-stream";
import proxyAddr from "@fastify/proxy-addr";
import type { BaseLogger } from "pino";
import type { HandOver } from "../../domain/builds/object-store.ts";
import { isPatchKey } from "../../domain/patches/patch.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import type { Metrics } from "../monitoring/metrics.ts";
import type { DiskStore } from "./disk.ts";
import { sendError, sendObject, sendPreflight } from "./gateway-responses.ts";
import { type Authority, createVerifier } from "./sigv4.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 20_000;
/** A slow client may take hours, but one that transfers no byte for this long has disconnected without notice. */
const STALLED_TIMEOUT_MS = 10 * MINUTE_MS;
const KEEP_ALIVE_TIMEOUT_MS = 30_000;

export interface GatewayOptions {
  store: Pick<DiskStore, "open">;
  authority: Authority;
  now: Clock;
  /** CIDRs of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies?: string[];
  /** Lets a proxy send objects. */
  handOver?: HandOver | undefined;
  metrics?: Pick<Metrics, "transfersActive" | "transferBytes">;
  log?: Pick<BaseLogger, "info" | "error">;
}

/**
 * Serves the disk store's presigned links as S3 would. A link is verified when a transfer starts; one that expires later
 * does not interrupt it.
 */
export function createGateway({
  store,
  authority,
  now,
  trustedProxies = [],
  handOver,
  log,
  metrics,
}: GatewayOptions): Server {
  const verify = createVerifier(authority);
  const isTrusted = proxyAddr.compile(trustedProxies);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url: target = "", headers } = request;
    if (method === "OPTIONS") return sendPreflight(response);
    const hasAuthorizationHeader = headers.authorization !== undefined;
    const signed = { method, target, host: headers.host ?? "", hasAuthorizationHeader };
    let verdict = verify(signed, now());
    // Unlike in S3, a link for GET answers HEAD too. Programs that read Parquet files begin with it.
    if (!verdict.granted && method === "HEAD") verdict = verify({ ...signed, method: "GET" }, now());
    if (!verdict.granted) return sendError(response, verdict.refusal, verdict.message);
    if (method !== "GET" && method !== "HEAD") return sendError(response, "MethodNotAllowed");
    const object = await store.open(verdict.path.slice(1));
    if (!object) return sendError(response, "NoSuchKey");
    const content = isPatchKey(verdict.path) ? "patch" : "file";
    const onSent = (bytes: number) => metrics?.transferBytes.inc({ server: "gateway", content }, bytes);
    metrics?.transfersActive.inc({ server: "gateway" });
    try {
      await sendObject(response, object, verdict.parameters, { handOver, onSent });
    } finally {
      metrics?.transfersActive.dec({ server: "gateway" });
      await object.handle.close();
    }
  }

  function fail(response: ServerResponse, requestId: string, error: unknown): void {
    if (error instanceof ClientDisconnected) return;
    const { code = "" } = error as NodeJS.ErrnoException;
    log?.error({ request_id: requestId, err: error }, "gateway request failed");
    if (!response.headersSent)
      sendError(response, code === "EMFILE" || code === "ENFILE" ? "SlowDown" : "InternalError");
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startMs = performance.now();
    const requestId = randomUUID();
    const clientIp = clientAddress(request);
    response.setHeader("X-Request-Id", requestId);
    response.once("close", () =>
      log?.info(
        {
          request_id: requestId,
          method: request.method,
          // Omits the query: it contains the signature, so readers of the log could use the link.
          path: request.url?.split("?")[0],
          status: response.headersSent ? response.statusCode : null,
          ms: Math.round((performance.now() - startMs) * 100) / 100,
          client_ip: clientIp,
          ...(!response.writableFinished && { cut_off: true }),
        },
        "gateway request",
      ),
    );
    await respond(request, response).catch((error) => fail(response, requestId, error));
  }

  function clientAddress(request: IncomingMessage): string | null {
    const address = request.socket.remoteAddress === undefined ? undefined : proxyAddr(request, isTrusted);
    // Dual-stack sockets report IPv4 peers as IPv6.
    return address?.replace(/^::ffff:(?=\d+\.)/, "") ?? null;
  }

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: HEADERS_TIMEOUT_MS, // This limits the request, which has no body. A response may take longer.
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_TIMEOUT_MS,
    noDelay: true,
  });
  server.setTimeout(STALLED_TIMEOUT_MS);
  server.on("request", handle);
  server.on("checkContinue", handle); // Refuses the request without asking for its body first.
  return server;
}
