import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";

export interface Outcome {
  status: number;
  location: string | undefined;
}

/** Keep-alive connections that are used in rotation, so that all of them stay in use. */
export class Connections implements Disposable {
  readonly #agent: Agent;

  constructor(count: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count, scheduling: "fifo" });
  }

  /** Reads the whole body. Throws if the connection breaks. */
  async send(url: string, headers: Record<string, string>): Promise<Outcome> {
    const request = get(url, { agent: this.#agent, headers });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    await finished(response);
    return { status: response.statusCode ?? 0, location: response.headers.location };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}
