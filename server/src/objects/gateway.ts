import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { BaseLogger } from "pino";
import { parseRange } from "../byte-range.ts";
import type { Clock } from "../clock.ts";
import { isRangeMeant, judgePreconditions } from "../preconditions.ts";
import type { DiskStore, OpenObject } from "./disk.ts";
import { FileStream } from "./file-stream.ts";
import { errorXml, GATEWAY_ERRORS, type GatewayErrorCode } from "./gateway-errors.ts";
import { type Authority, createVerifier } from "./sigv4.ts";
import type { ByteRange, StoredObject } from "./store.ts";

/** An `import` would read all names of node:http, WebSocket among them, and so load the whole of fetch: 12 MB. */
const { createServer } = process.getBuiltinModule("node:http");

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 20_000;
/** A slow client may take hours; one that takes no byte for this long has gone without saying so. */
const STALLED_TIMEOUT_MS = 10 * 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 30_000;
/** While it was being served, or before that. */
const CLIENT_GONE = ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_UNABLE_TO_PIPE"];
const PREFLIGHT_SECONDS = 24 * 3600;

export interface GatewayOptions {
  store: Pick<DiskStore, "open">;
  authority: Authority;
  now: Clock;
  log?: Pick<BaseLogger, "info" | "error">;
}

interface Visit {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
}

/**
 * Serves the disk store's links as S3 would. The signature is asked when a transfer begins: a link that lapses
 * does not cut a transfer that is under way.
 */
export function createGateway({ store, authority, now, log }: GatewayOptions): Server {
  const verify = createVerifier(authority);

  async function answer(visit: Visit): Promise<void> {
    const { request } = visit;
    const { method = "", url: target = "", headers } = request;
    if (method === "OPTIONS") return sendPreflight(visit);
    const hasAuthorizationHeader = headers.authorization !== undefined;
    const verdict = verify({ method, target, host: headers.host ?? "", hasAuthorizationHeader }, now());
    if (!verdict.granted) return sendError(visit, verdict.refusal, verdict.message);
    if (method !== "GET" && method !== "HEAD") return sendError(visit, "MethodNotAllowed");
    const object = await store.open(verdict.path.slice(1));
    if (!object) return sendError(visit, "NoSuchKey");
    try {
      await sendObject(visit, object, verdict.parameters);
    } finally {
      await object.handle.close();
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const visit = { request, response, requestId: randomUUID() };
    try {
      await answer(visit);
    } catch (error) {
      fail(visit, error);
    }
    // Without its query: whoever reads the log must not get a link that works.
    const path = request.url?.split("?")[0];
    const durationMs = Math.round(performance.now() - begun);
    const { requestId } = visit;
    log?.info({ requestId, method: request.method, path, status: response.statusCode, durationMs }, "objects");
  }

  function fail(visit: Visit, error: unknown): void {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (CLIENT_GONE.includes(code)) return;
    log?.error({ requestId: visit.requestId, err: error }, "objects");
    // Once the headers are out, only a cut connection tells the client that this is not the whole object.
    if (visit.response.headersSent) visit.response.destroy();
    else sendError(visit, code === "EMFILE" || code === "ENFILE" ? "SlowDown" : "InternalError");
  }

  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: HEADERS_TIMEOUT_MS, // Of the request, which has no body here. The response may take its time.
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_TIMEOUT_MS,
    noDelay: true,
  });
  server.setTimeout(STALLED_TIMEOUT_MS);
  server.on("request", handle);
  server.on("checkContinue", handle); // Refused without asking for the body first.
  return server;
}

async function sendObject(visit: Visit, object: OpenObject, parameters: ReadonlyMap<string, string>): Promise<void> {
  const { request, response } = visit;
  const validators = { etag: etagOf(object), modified: object.modified };
  const headers: Record<string, string | number> = {
    ...commonHeaders(visit),
    "Accept-Ranges": "bytes",
    // Not to be kept by a cache that serves others, nor to be unpacked or repacked on the way.
    "Cache-Control": "private, no-transform",
    ETag: validators.etag,
    "Last-Modified": object.modified.toUTCString(),
  };
  const judgement = judgePreconditions(request.headers, validators);
  if (judgement === "failed") return sendError(visit, "PreconditionFailed");
  if (judgement === "not_modified") {
    response.writeHead(304, headers).end();
    return;
  }
  const range = isRangeMeant(request.headers, validators)
    ? parseRange(request.headers.range, object.sizeBytes)
    : "whole";
  if (range === "unsatisfiable") {
    response.setHeader("Content-Range", `bytes */${object.sizeBytes}`);
    return sendError(visit, "InvalidRange");
  }
  const part: ByteRange = range === "whole" ? { first: 0, last: object.sizeBytes - 1 } : range;
  const lengthBytes = part.last - part.first + 1;
  const contentDisposition = parameters.get("response-content-disposition");
  if (contentDisposition) headers["Content-Disposition"] = contentDisposition;
  headers["Content-Type"] = parameters.get("response-content-type") || "application/octet-stream";
  headers["Content-Length"] = lengthBytes;
  if (range !== "whole") headers["Content-Range"] = `bytes ${part.first}-${part.last}/${object.sizeBytes}`;
  response.writeHead(range === "whole" ? 200 : 206, headers);
  if (request.method === "HEAD" || lengthBytes === 0) response.end();
  else await pipeline(new FileStream(object.handle, part), response);
}

/**
 * From size and time, as nginx does: the same after a restart, on every process, and after a copy that keeps times
 * to the second (tar, rsync -a), where an inode would change and break off resumed downloads. It need not tell more
 * apart, because an object is never overwritten.
 */
function etagOf({ sizeBytes, modified }: StoredObject): string {
  return `"${Math.floor(modified.getTime() / 1000).toString(16)}-${sizeBytes.toString(16)}"`;
}

/** Any page may fetch a link that it holds: the signature is the authority, and nothing here goes by cookies. */
function sendPreflight(visit: Visit): void {
  visit.response
    .writeHead(204, {
      ...commonHeaders(visit),
      Allow: "GET, HEAD, OPTIONS",
      "Access-Control-Allow-Methods": "GET, HEAD",
      "Access-Control-Allow-Headers":
        "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range",
      "Access-Control-Max-Age": PREFLIGHT_SECONDS,
    })
    .end();
}

function sendError(visit: Visit, code: GatewayErrorCode, message: string = GATEWAY_ERRORS[code].message): void {
  const { request, response, requestId } = visit;
  const body = errorXml(code, message, requestId);
  const hasBody = request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
  response.writeHead(GATEWAY_ERRORS[code].status, {
    ...commonHeaders(visit),
    "Cache-Control": "no-store",
    "Content-Type": "application/xml",
    "Content-Length": Buffer.byteLength(body),
    ...(code === "MethodNotAllowed" && { Allow: "GET, HEAD, OPTIONS" }),
    ...(code === "SlowDown" && { "Retry-After": 1 }),
    // Node would read on to the end of a body that nobody wants.
    ...(hasBody && { Connection: "close" }),
  });
  response.end(body);
}

function commonHeaders({ requestId }: Visit): Record<string, string> {
  return {
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers":
      "Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, X-Request-Id",
  };
}
