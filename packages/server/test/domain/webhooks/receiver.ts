import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook as StandardWebhook } from "standardwebhooks";

export interface Received {
  path: string;
  headers: Record<string, string>;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of the events it expects
  body: any;
}

type Respond = (received: Received, response: ServerResponse) => number | undefined | Promise<number | undefined>;

/** Lets services in tests send webhooks to receivers on this machine. */
export const ALLOW_LOOPBACK = { DBDEPOT_WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };

/** A real HTTP server that customers run to receive webhooks. */
export class Receiver {
  readonly received: Received[] = [];
  /** Returns the status of the response, or undefined if it has responded itself. */
  respond: Respond = () => 204;
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.#server.listen(0, "127.0.0.1");
    await once(receiver.#server, "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = "/"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The ids of the events that arrived at this path, in order. */
  ids(path = "/"): string[] {
    return this.received.filter((each) => each.path === path).map(({ headers }) => headers["webhook-id"] ?? "");
  }

  types(path = "/"): string[] {
    return this.received.filter((each) => each.path === path).map(({ body }) => body.type);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await text(request);
    const headers = request.headers as Record<string, string>;
    const received = { path: request.url ?? "", headers, raw, body: JSON.parse(raw) };
    this.received.push(received);
    const status = await this.respond(received, response);
    if (status !== undefined) response.writeHead(status).end();
  }
}

/** Whether the reference implementation accepts the request. */
export function isSignedWith(secret: string, { raw, headers }: Received): boolean {
  try {
    new StandardWebhook(secret).verify(raw, headers);
    return true;
  } catch {
    return false;
  }
}
