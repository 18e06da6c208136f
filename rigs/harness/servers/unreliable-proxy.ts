import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const HTTP_ERRORS = {
  "http 500": "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
  "http 503": "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
};

/** A proxy between dbdepot and PostgreSQL or S3 that fails on demand. */
export class UnreliableProxy {
  /**
   * `hang`: accepts connections and answers nothing. `lose answers`: forwards requests, but not their answers.
   * `slow`: forwards answers after a second. `http 500`, `http 503`: answers every HTTP request with
   * that status. `truncate`: forwards answers without their last 10 bytes, and closes the connection.
   */
  mode: "forward" | "slow" | "hang" | "lose answers" | "truncate" | keyof typeof HTTP_ERRORS = "forward";
  #target: { port: number; host: string };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: URL) {
    this.#target = addressOf(target);
  }

  /** Sends new connections to another server. */
  switchTo(target: URL): void {
    this.#target = addressOf(target);
  }

  /** Returns its port, which stays the same if it was closed in between. */
  async listen(): Promise<number> {
    this.#server = createServer((client) => this.#accept(client)).listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  /** Refuses connections and breaks the open ones. */
  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  #accept(client: Socket): void {
    const upstream = connect(this.#target);
    for (const socket of [client, upstream]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
    }
    client.on("data", (data) => {
      if (this.mode === "http 500" || this.mode === "http 503") client.end(HTTP_ERRORS[this.mode]);
      else if (this.mode !== "hang") upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (this.mode === "forward") client.write(data);
      else if (this.mode === "truncate") client.end(data.subarray(0, -10));
      else if (this.mode === "slow") setTimeout(() => client.write(data), 1000);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  }
}

function addressOf({ port, hostname }: URL) {
  return { port: Number(port), host: hostname };
}
