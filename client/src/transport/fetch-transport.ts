import { abortedError, cutOffError, DbdepotError, networkError, timeoutError } from "../errors.ts";
import { type Incoming, type Outgoing, pourBytes, type Sink, type Transport } from "./transport.ts";

/** Over fetch: in browsers, and wherever the caller brings one of his own. */
export function fetchTransport(fetcher: typeof fetch): Transport {
  const send = async (outgoing: Outgoing): Promise<Incoming> => {
    const { method, url, headers, body } = outgoing;
    const watch = new Watch(outgoing);
    try {
      const init = { method, headers, ...(body !== undefined && { body }), signal: watch.signal };
      const response = await fetcher(url.href, { ...init, redirect: "manual" });
      if (response.type === "opaqueredirect") throw hiddenRedirect();
      return new FetchIncoming(response, watch);
    } catch (error) {
      throw watch.explained(error);
    }
  };
  return { call: send, transfer: send };
}

function hiddenRedirect(): DbdepotError {
  return new DbdepotError("bad_request", "a browser does not show where the service's redirect leads");
}

/** Ends a request that says nothing for too long, or that its caller has given up. */
class Watch {
  readonly where: string;
  readonly #outgoing: Outgoing;
  readonly #controller = new AbortController();
  readonly #onAbort = () => this.#controller.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasTimedOut = false;

  constructor(outgoing: Outgoing) {
    this.where = outgoing.url.origin;
    this.#outgoing = outgoing;
    if (outgoing.signal?.aborted) this.#controller.abort();
    outgoing.signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#hasTimedOut = true;
      this.#controller.abort();
    }, this.#outgoing.timeoutMs);
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.pause();
    this.#outgoing.signal?.removeEventListener("abort", this.#onAbort);
  }

  explained(error: unknown): Error {
    this.end();
    if (this.#outgoing.signal?.aborted) return abortedError();
    return this.#hasTimedOut ? timeoutError(this.where, this.#outgoing.timeoutMs) : networkError(this.where, error);
  }
}

class FetchIncoming implements Incoming {
  readonly status: number;
  readonly #response: Response;
  readonly #watch: Watch;

  constructor(response: Response, watch: Watch) {
    this.status = response.status;
    this.#response = response;
    this.#watch = watch;
  }

  header(name: string): string | null {
    return this.#response.headers.get(name);
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of this.#pieces()) text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  }

  async pour(sink: Sink): Promise<void> {
    let receivedBytes = 0;
    for await (const bytes of this.#pieces()) {
      // The time that the disk takes is not the network's.
      this.#watch.pause();
      await pourBytes(bytes, sink);
      this.#watch.restart();
      receivedBytes += bytes.length;
    }
    // A fetch of the caller's own may pass over a body that ends early. One that is unpacked on the way has no length.
    const promised = this.header("content-encoding") ? null : this.header("content-length");
    if (promised !== null && receivedBytes < Number(promised)) throw cutOffError(this.#watch.where);
  }

  discard(): void {
    this.#watch.end();
    this.#response.body?.cancel().catch(() => {});
  }

  async *#pieces(): AsyncGenerator<Uint8Array> {
    const reader = this.#response.body?.getReader();
    try {
      for (;;) {
        const piece = await this.#next(reader);
        if (!piece) return;
        this.#watch.restart();
        yield piece;
      }
    } finally {
      this.#watch.end();
      reader?.cancel().catch(() => {});
    }
  }

  async #next(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<Uint8Array | undefined> {
    try {
      return (await reader?.read())?.value;
    } catch (error) {
      throw this.#watch.explained(error);
    }
  }
}
