import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { answerBrokenRequest } from "../../../src/http/broken-request.ts";
import { ExpressServer } from "../../../src/http/express/server.ts";
import { NodeOutlet, type Outlet } from "../../../src/http/outlet.ts";
import type { Head } from "../../../src/http/request.ts";
import { RawClient } from "./raw-client.ts";

/** What became of one request. */
interface Visit {
  url: string;
  by: "express" | "node";
  over: number;
  taken: number;
}

/**
 * Answers `/now/<bytes>` at once and `/later/<bytes>` when it is told to, with a body of that size; `/node/<bytes>` is
 * not for the express lane; a POST comes back as it is; `/own` is the test's own.
 */
export class TestServer {
  readonly server: ExpressServer;
  readonly visits: Visit[] = [];
  /** The server's ends of the connections. */
  readonly sockets: Socket[] = [];
  /** What waits to be answered, oldest first. */
  readonly later: (() => void)[] = [];

  readonly #own: (outlet: Outlet) => void;

  constructor(own: (outlet: Outlet) => void) {
    this.#own = own;
    this.server = new ExpressServer(
      (head) => this.#find(head),
      (incoming, response) => void this.#listen(incoming, response),
    );
    this.server.on("clientError", answerBrokenRequest);
    this.server.on("connection", (socket: Socket) => this.sockets.push(socket));
  }

  static async open(own: (outlet: Outlet) => void = () => {}): Promise<TestServer> {
    const test = new TestServer(own);
    test.server.listen(0, "127.0.0.1");
    await once(test.server, "listening");
    return test;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  client(): Promise<RawClient> {
    return RawClient.open(this.url);
  }

  #find({ url = "" }: Head): ((outlet: Outlet) => void) | undefined {
    if (url === "/own") return this.#own;
    return url.startsWith("/node/") ? undefined : (outlet) => this.#answer(url, outlet, "express");
  }

  async #listen(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const outlet = new NodeOutlet(response);
    if (incoming.method !== "POST") return this.#answer(incoming.url ?? "", outlet, "node");
    const body = await buffer(incoming);
    outlet.send(200, ["by", "node", "content-length", String(body.length)], body);
  }

  #answer(url: string, outlet: Outlet, by: Visit["by"]): void {
    const visit: Visit = { url, by, over: 0, taken: 0 };
    this.visits.push(visit);
    outlet.onOver(() => {
      visit.over += 1;
    });
    const body = bodyOf(url);
    const onTaken = () => {
      visit.taken += 1;
    };
    const send = () => outlet.send(200, ["by", by, "url", url, "content-length", String(body.length)], body, onTaken);
    if (url.startsWith("/later/")) this.later.push(send);
    else send();
  }
}

const bodies = new Map<number, Buffer>();

/** Of the size that the address asks for, with every byte that there is, and nowhere the same as a bit further on. */
export function bodyOf(url: string): Buffer {
  const sizeBytes = Number(url.split("/")[2]?.split("?")[0]);
  const body = bodies.get(sizeBytes) ?? Buffer.from(new Uint8Array(sizeBytes).map((_, i) => i + (i >> 8) + (i >> 16)));
  bodies.set(sizeBytes, body);
  return body;
}
