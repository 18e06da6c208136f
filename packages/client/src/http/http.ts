import { abortedError, connectionClosedError, DbdepotError, timeoutError } from "../errors.ts";

/** Redirects are never followed: the caller decides which headers the next host receives. */
export interface HttpRequest {
  method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
}

export interface HttpResponse {
  status: number;
  header(name: string): string | null;
  /** The body. Throws if it is truncated or stalls. */
  chunks(): AsyncGenerator<Uint8Array, void, undefined>;
  /** The whole body. Fails if it is larger than any document of the interface. */
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** Discards the body. */
  discard(): void;
}

/** Sends a request. Every error is a DbdepotError. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/** Far larger than any document. Limits the memory that an endless response can use. */
const DOCUMENT_MAX_BYTES = 10_000_000;

/** Reads a document into memory. `where` names its source in the error message. */
export async function collect(chunks: AsyncIterable<Uint8Array>, where: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.length;
    // Leaving the loop ends the transfer.
    if (sizeBytes > DOCUMENT_MAX_BYTES) {
      throw new DbdepotError("server", `${where} sent a document of more than ${DOCUMENT_MAX_BYTES / 1e6} MB`);
    }
    parts.push(chunk);
  }
  const all = new Uint8Array(sizeBytes);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The common subset of what undici and fetch return. */
export interface RawResponse {
  status: number;
  header(name: string): string | null;
  body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** Throws a DbdepotError unless `signal` caused the failure. */
type RawSend = (request: HttpRequest, signal: AbortSignal) => Promise<RawResponse>;

/**
 * Adds a timeout for the response headers, and the same timeout for every pause in the body. `describe` names the server
 * in error messages.
 */
export function withTimeout(rawSend: RawSend, timeoutMs: number, describe = (url: URL) => url.origin): Send {
  return async (request) => {
    if (request.signal?.aborted) throw abortedError();
    const where = describe(request.url);
    const watchdog = new Watchdog(request, timeoutMs, where);
    try {
      watchdog.start();
      const response = await rawSend(request, watchdog.signal);
      watchdog.stop();
      return new TimedResponse(response, where, watchdog);
    } catch (error) {
      watchdog.end();
      throw watchdog.cause() ?? error;
    }
  };
}

/** Aborts a request when the server is silent for too long or the caller aborts. */
class Watchdog {
  readonly #request: HttpRequest;
  readonly #timeoutMs: number;
  readonly #where: string;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasTimedOut = false;

  constructor(request: HttpRequest, timeoutMs: number, where: string) {
    this.#request = request;
    this.#where = where;
    this.#timeoutMs = timeoutMs;
    request.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#hasTimedOut = true;
      this.#controller.abort();
    }, this.#timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.stop();
    this.#request.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** Why the request was aborted, if it was. */
  cause(): Error | undefined {
    if (this.#request.signal?.aborted) return abortedError();
    return this.#hasTimedOut ? timeoutError(this.#where, this.#timeoutMs) : undefined;
  }
}

class TimedResponse implements HttpResponse {
  readonly status: number;
  readonly #response: RawResponse;
  readonly #where: string;
  readonly #watchdog: Watchdog;

  constructor(response: RawResponse, where: string, watchdog: Watchdog) {
    this.status = response.status;
    this.#response = response;
    this.#where = where;
    this.#watchdog = watchdog;
  }

  header(name: string): string | null {
    return this.#response.header(name);
  }

  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const iterator = this.#response.body[Symbol.asyncIterator]();
    let receivedBytes = 0;
    try {
      for (;;) {
        const chunk = await this.#next(iterator);
        if (!chunk) break;
        receivedBytes += chunk.length;
        yield chunk;
      }
    } finally {
      this.discard();
    }
    // A custom fetch may not notice that a body is too short. The length of a decoded body is unknown.
    const expectedBytes = this.header("content-encoding") ? null : this.header("content-length");
    if (expectedBytes !== null && receivedBytes < Number(expectedBytes)) throw connectionClosedError(this.#where);
  }

  bytes(): Promise<Uint8Array> {
    return collect(this.chunks(), this.#where);
  }

  async text(): Promise<string> {
    return decode(await this.bytes());
  }

  discard(): void {
    this.#watchdog.end();
    this.#response.discard();
  }

  /** The timer only runs while waiting for the server, not while the caller writes to disk. */
  async #next(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
    this.#watchdog.start();
    try {
      const { value, done } = await iterator.next();
      return done ? undefined : value;
    } catch {
      throw this.#watchdog.cause() ?? connectionClosedError(this.#where);
    } finally {
      this.#watchdog.stop();
    }
  }
}
