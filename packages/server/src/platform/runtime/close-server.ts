import type { Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

const IDLE_CHECK_MS = 100;

export interface Closer {
  /** Refuses new connections. Open ones stay usable, unlike after `http.Server.close()`, which closes idle ones. */
  stopListening(): void;
  /** Further calls wait for the first one. */
  close(): Promise<void>;
}

/** Closes a server: in-flight responses get `graceSeconds` to finish, then their connections are closed. */
export function closerOf(server: Server, graceSeconds: number, close: () => Promise<unknown>): Closer {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const closeIdleConnections = () => {
    server.closeIdleConnections();
    // Node does not treat connections that have never sent anything as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  let timer: NodeJS.Timeout | undefined;
  const startTimer = () => {
    timer ??= setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  };
  const closeGracefully = async () => {
    startTimer();
    // A keep-alive connection becomes idle only after its response, and would stay open for the next request.
    const idleCheck = setInterval(closeIdleConnections, IDLE_CHECK_MS);
    await close();
    clearInterval(idleCheck);
    clearTimeout(timer);
  };
  let closed: Promise<void> | undefined;
  return {
    stopListening() {
      startTimer();
      if (server.listening) NetServer.prototype.close.call(server);
    },
    close() {
      closed ??= closeGracefully();
      return closed;
    },
  };
}
