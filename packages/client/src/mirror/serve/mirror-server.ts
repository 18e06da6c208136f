import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { ClientDisconnected } from "@dbdepot/formats/transfers/send-stream";
import { type Access, accessOf, type Tokens } from "./access.ts";
import { EventStreams } from "./event-streams.ts";
import { answerGeoipupdate } from "./geoipupdate.ts";
import { MirrorMetrics, type RequestKind, type VendorState } from "./metrics.ts";
import { sendBody, sendDocument, sendFile, sendProblem } from "./responses.ts";
import type { ServedFile, VerifiedMirror } from "./verified-mirror.ts";

const CONNECTIONS_MAX = 2000;
const HEADER_MAX_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_TIMEOUT_MS = 30_000;
const LOGGED_LENGTH_MAX = 200;

export interface Certificate {
  cert: Buffer;
  key: Buffer;
}

export interface MirrorServerOptions {
  mirror: VerifiedMirror;
  tokens: Tokens | undefined;
  /** Answers every address without a token. */
  isOpen: boolean;
  certificate: Certificate | undefined;
  log(line: string): void;
}

/** What is known about a request when it is logged. */
interface Seen {
  kind: RequestKind;
  access: Access | undefined;
}

/** Serves a mirror over HTTP: to other clients of dbdepot, to MaxMind's updater, and to any program that downloads files. */
export class MirrorServer {
  readonly http: Server | TlsServer;
  readonly events = new EventStreams();
  readonly #options: MirrorServerOptions;
  readonly #metrics = new MirrorMetrics();
  vendor: VendorState = { error: "not asked yet" };

  constructor(options: MirrorServerOptions) {
    this.#options = options;
    const listener = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
    const limits = {
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    };
    this.http = options.certificate
      ? createTlsServer({ ...limits, ...options.certificate }, listener)
      : createServer(limits, listener);
    this.http.maxConnections = CONNECTIONS_MAX;
  }

  /** Uses other tokens and another certificate from now on. */
  renew({ tokens, certificate }: Pick<MirrorServerOptions, "tokens" | "certificate">): void {
    this.#options.tokens = tokens;
    if (certificate && "setSecureContext" in this.http) this.http.setSecureContext(certificate);
  }

  /** Lets transfers finish, but not forever. */
  async close(graceMs: number): Promise<void> {
    this.events.close();
    const closed = new Promise<void>((resolve) => this.http.close(() => resolve()));
    this.http.closeIdleConnections();
    const timer = setTimeout(() => this.http.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen: Seen = { kind: "other", access: undefined };
    const startMs = performance.now();
    const { socket } = request;
    const { bytesWritten: startBytes } = socket;
    response.once("close", () => {
      this.#record(request, response, seen, {
        bytes: socket.bytesWritten - startBytes,
        durationMs: performance.now() - startMs,
      });
    });
    try {
      await this.#respond(request, response, seen);
    } catch (error) {
      if (error instanceof ClientDisconnected) return;
      this.#options.log(`a request failed: ${(error as Error).message}`);
      if (response.headersSent) response.destroy();
      else sendProblem(response, 500, "INTERNAL_ERROR", "the mirror failed: see its log");
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse, seen: Seen): Promise<void> {
    const { mirror } = this.#options;
    const { method, url: target = "" } = request;
    response.setHeader("x-content-type-options", "nosniff");
    if (mirror.checked) response.setHeader("x-mirror-checked", mirror.checked.toISOString());
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      // The body is not read.
      response.setHeader("connection", "close");
      return sendProblem(response, 405, "METHOD_NOT_ALLOWED", "a mirror answers GET and HEAD");
    }
    const url = URL.canParse(target, "http://mirror.invalid") ? new URL(target, "http://mirror.invalid") : undefined;
    if (url?.pathname === "/healthz") {
      seen.kind = "status";
      return this.#sendHealth(response);
    }
    const access = accessOf(request, this.#options);
    seen.access = access;
    if ("status" in access) {
      if (access.status === 401) response.setHeader("www-authenticate", 'Bearer realm="dbdepot mirror"');
      return sendProblem(response, access.status, access.rc, access.message);
    }
    const path = url?.pathname.slice(1) ?? "";
    if (path === "metrics") {
      seen.kind = "status";
      const text = this.#metrics.text(mirror, this.vendor, this.events.count);
      return sendBody(response, 200, "text/plain; version=0.0.4", Buffer.from(text));
    }
    if (path === "api/v2/events") {
      seen.kind = "events";
      if (method === "GET" && this.events.open(response)) return;
      return sendProblem(response, 503, "NOT_AVAILABLE", "too many clients follow this mirror");
    }
    if (url && path.startsWith("geoip/")) {
      seen.kind = "geoipupdate";
      if (await answerGeoipupdate(request, response, url, mirror)) return;
    }
    const [, id = "", sequence] = /^(\w+)\/chain\/([1-9]\d{0,14})\.json$/.exec(path) ?? [];
    const found = sequence ? await mirror.chainDocument(id, Number(sequence)) : mirror.find(path);
    if (!found) return sendProblem(response, 404, "NOT_FOUND", "this mirror has no such file");
    seen.kind = isFile(found) ? found.kind : "document";
    if (isFile(found)) await sendFile(request, response, mirror, found);
    else sendDocument(request, response, path, found);
  }

  /** Names no database, because it needs no token. */
  #sendHealth(response: ServerResponse): void {
    const { checked, databases } = this.#options.mirror;
    const isServing = databases.length > 0;
    const body = {
      status: isServing ? "ok" : "empty",
      databases: databases.length,
      checked: checked?.toISOString() ?? null,
      age_seconds: checked ? Math.max(0, Math.round((Date.now() - checked.getTime()) / 1000)) : null,
      vendor: this.vendor.error === null ? "reachable" : "unreachable",
    };
    response.setHeader("cache-control", "no-store");
    sendBody(response, isServing ? 200 : 503, "application/json", Buffer.from(`${JSON.stringify(body)}\n`));
  }

  #record(
    { socket, method, url = "", headers }: IncomingMessage,
    response: ServerResponse,
    { kind, access }: Seen,
    { bytes, durationMs }: { bytes: number; durationMs: number },
  ): void {
    const { statusCode } = response;
    this.#metrics.count({ kind, status: statusCode }, bytes);
    const name = access && "name" in access ? (access.name ?? "-") : "-";
    const agent = (headers["user-agent"] ?? "-").slice(0, LOGGED_LENGTH_MAX);
    const request = `${method} ${url.slice(0, LOGGED_LENGTH_MAX)}`;
    const end = response.writableFinished ? "" : " (disconnected)";
    this.#options.log(
      `${socket.remoteAddress ?? "-"} ${name} "${request}" ${statusCode} ${bytes} ${Math.round(durationMs)}ms "${agent}"${end}`,
    );
  }
}

function isFile(found: object): found is ServedFile {
  return "identity" in found;
}
