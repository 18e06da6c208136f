import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

/** A fault to inject into one response. */
export interface Fault {
  /** Responds with this instead of forwarding the request. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Closes the connection without a response. */
  refuse?: boolean;
  /** Headers to remove from the real response. */
  strip?: readonly string[];
  /** Query parameters to remove from the request. */
  stripQuery?: readonly string[];
  /** Removes Range from the request. */
  ignoreRange?: boolean;
  /** Cuts the connection after this many bytes of the body. */
  cutAfterBytes?: number;
  /** Stops sending after this many bytes, and keeps the connection open. */
  stallAfterBytes?: number;
  /** Ends the body after this many bytes, with a matching Content-Length. */
  endAfterBytes?: number;
  /** Changes the byte at this offset of the body. */
  wrongByteAt?: number;
  /** Pauses for a millisecond after this many bytes. */
  dripBytes?: number;
  /** Sends neither Content-Length nor chunks: the end of the connection ends the body. */
  unframed?: boolean;
  /** Sends the body so many times, without a length. */
  repeat?: number;
}

export interface Seen {
  url: URL;
  headers: IncomingHttpHeaders;
  /** The first request is 0. */
  number: number;
}

type Plan = (seen: Seen) => Fault | undefined | Promise<Fault | undefined>;

/** A proxy in front of the API and the storage that injects faults. */
export class FaultyFront {
  api: Plan = () => undefined;
  storage: Plan = () => undefined;
  readonly seenByApi: Seen[] = [];
  readonly seenByStorage: Seen[] = [];
  readonly #servers: Server[] = [];
  #apiUrl = "";
  #storageUrl = "";
  #realStorage = "";

  static async open(realApi: string): Promise<FaultyFront> {
    const front = new FaultyFront();
    front.#storageUrl = await front.#listen(front.seenByStorage, (seen, fault) =>
      // A presigned link is signed for its host.
      forward(seen, fault, front.#realStorage, new URL(front.#realStorage).host),
    );
    front.#apiUrl = await front.#listen(front.seenByApi, (seen, fault) =>
      forward(seen, fault, realApi, new URL(realApi).host),
    );
    return front;
  }

  get url(): string {
    return this.#apiUrl;
  }

  reset(): void {
    this.api = () => undefined;
    this.storage = () => undefined;
    this.seenByApi.length = 0;
    this.seenByStorage.length = 0;
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  async #listen(
    log: Seen[],
    upstream: (incoming: IncomingMessage, fault: Fault) => Promise<IncomingMessage>,
  ): Promise<string> {
    const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const seen = { url: new URL(incoming.url ?? "", "http://front"), headers: incoming.headers, number: log.length };
      log.push(seen);
      const plan = log === this.seenByApi ? this.api : this.storage;
      const fault = (await plan(seen)) ?? {};
      if (fault.refuse) return void incoming.socket.destroy();
      if (fault.status !== undefined)
        return void outgoing.writeHead(fault.status, fault.headers).end(fault.body ?? '{"rc":"FAULT"}');
      await this.#respond(await upstream(incoming, fault), outgoing, fault);
    };
    // The client may have disconnected.
    const server = createServer((incoming, outgoing) =>
      handle(incoming, outgoing).catch(() => incoming.socket.destroy()),
    );
    this.#servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async #respond(upstream: IncomingMessage, outgoing: ServerResponse, fault: Fault): Promise<void> {
    outgoing.on("error", () => {});
    const headers = { ...upstream.headers };
    for (const name of fault.strip ?? []) delete headers[name];
    const { location } = headers;
    // Only links to the storage have an origin.
    if (location?.startsWith("http")) {
      this.#realStorage = new URL(location).origin;
      headers.location = location.replace(this.#realStorage, this.#storageUrl);
    }
    if (fault.endAfterBytes !== undefined && headers["content-length"] !== undefined) {
      headers["content-length"] = String(Math.min(fault.endAfterBytes, Number(headers["content-length"])));
    }
    delete headers.connection;
    if (fault.unframed || fault.repeat !== undefined) {
      delete headers["content-length"];
      outgoing.useChunkedEncodingByDefault = false;
      outgoing.shouldKeepAlive = false;
    }
    outgoing.writeHead(upstream.statusCode ?? 500, headers);
    if (fault.repeat === undefined) return sendFaulty(upstream, outgoing, fault);
    const body = await buffer(upstream);
    for (let sent = 0; sent < fault.repeat && !outgoing.destroyed; sent += 1) {
      if (!outgoing.write(body)) await Promise.race([once(outgoing, "drain"), once(outgoing, "close")]);
    }
    outgoing.end();
  }
}

async function forward(
  incoming: IncomingMessage,
  fault: Fault,
  origin: string,
  host: string,
): Promise<IncomingMessage> {
  const url = new URL(incoming.url ?? "", origin);
  for (const name of fault.stripQuery ?? []) url.searchParams.delete(name);
  const headers: IncomingHttpHeaders = { ...incoming.headers, host };
  if (fault.ignoreRange) delete headers.range;
  const target = fault.stripQuery ? url : new URL(origin);
  const path = fault.stripQuery ? `${url.pathname}${url.search}` : incoming.url;
  const sent = request(target, { method: incoming.method, path, headers, agent: false });
  incoming.pipe(sent);
  const [upstream] = (await once(sent, "response")) as [IncomingMessage];
  return upstream;
}

async function sendFaulty(upstream: IncomingMessage, outgoing: ServerResponse, fault: Fault): Promise<void> {
  const { cutAfterBytes, stallAfterBytes, endAfterBytes, wrongByteAt, dripBytes } = fault;
  const lastByte = cutAfterBytes ?? stallAfterBytes ?? endAfterBytes ?? Number.POSITIVE_INFINITY;
  let sentBytes = 0;
  for await (const bytes of upstream as AsyncIterable<Buffer>) {
    if (wrongByteAt !== undefined && wrongByteAt >= sentBytes && wrongByteAt < sentBytes + bytes.length) {
      bytes[wrongByteAt - sentBytes] = (bytes[wrongByteAt - sentBytes] ?? 0) ^ 1;
    }
    const kept = bytes.subarray(0, lastByte - sentBytes);
    for (let at = 0; at < kept.length; at += dripBytes ?? kept.length) {
      if (outgoing.destroyed) return;
      await new Promise((resolve) => outgoing.write(kept.subarray(at, at + (dripBytes ?? kept.length)), resolve));
      if (dripBytes !== undefined) await delay(1);
    }
    sentBytes += kept.length;
    if (sentBytes < lastByte) continue;
    upstream.destroy();
    // Wait until the bytes have been sent, because a reset would discard what the client has not read yet.
    if (cutAfterBytes !== undefined) return outgoing.socket?.destroySoon();
    if (stallAfterBytes !== undefined) return;
    break;
  }
  outgoing.end();
}
