import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Forwards connections to PostgreSQL until it hangs: then it accepts them and answers nothing. */
export class HangingProxy {
  isHanging = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: URL) {
    this.#server = createServer((client) => {
      this.#sockets.add(client);
      client.on("error", () => {});
      if (this.isHanging) return void client.resume();
      const upstream = connect(Number(target.port), target.hostname);
      this.#sockets.add(upstream);
      upstream.on("error", () => {});
      client.on("data", (data) => this.isHanging || upstream.write(data));
      upstream.on("data", (data) => this.isHanging || client.write(data));
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
