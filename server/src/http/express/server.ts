import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { Lane, type LaneOptions } from "./lane.ts";

/** An `import` would load the whole of fetch, see objects/gateway.ts. */
const { Server } = process.getBuiltinModule("node:http");

const HEADERS_MAX_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 60_000;
/** Longer than the 60 s of common load balancers: else they use a connection that is just being closed. */
const KEEP_ALIVE_SECONDS = 72;

/**
 * Node's own HTTP server, with an express lane before it for plain requests: a whole GET or HEAD that came in one piece,
 * to a route that answers in one. Why that pays is told in docs/decisions/0009. A connection on which anything else comes
 * goes to Node's server, with all that was read, and stays there: bodies, streams, faults and time limits are its matter.
 */
export class ExpressServer extends Server {
  readonly #lanes = new Set<Lane>();

  constructor(find: LaneOptions["find"], listener: RequestListener) {
    const keepAliveTimeout = KEEP_ALIVE_SECONDS * 1000;
    super(
      // An upload may take hours; headers may not.
      { maxHeaderSize: HEADERS_MAX_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, keepAliveTimeout, requestTimeout: 0 },
      listener,
    );
    const [toNode] = this.listeners("connection") as ((socket: Socket) => void)[];
    this.removeAllListeners("connection");
    const options: LaneOptions = {
      find,
      headMaxBytes: HEADERS_MAX_BYTES,
      // A second more than the client is told: a request may be on its way.
      idleMs: keepAliveTimeout + 1000,
      connection: {
        kept: `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}`,
        last: "Connection: close",
      },
      isStopping: () => !this.listening,
      handOver: (lane, bytes) => {
        this.#lanes.delete(lane);
        toNode?.call(this, lane.socket);
        lane.socket.emit("data", bytes);
        // Later: at the end, Node forgets the requests that it has not answered.
        if (lane.isEnded) setImmediate(() => lane.socket.emit("end"));
      },
      onClose: (lane) => this.#lanes.delete(lane),
    };
    this.on("connection", (socket: Socket) => this.#lanes.add(new Lane(socket, options)));
  }

  override closeIdleConnections(): void {
    super.closeIdleConnections();
    for (const lane of this.#lanes) lane.closeIfIdle();
  }

  override closeAllConnections(): void {
    super.closeAllConnections();
    for (const lane of this.#lanes) lane.socket.destroy();
  }
}
