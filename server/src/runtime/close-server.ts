import type { Server } from "node:http";
import type { Socket } from "node:net";

const SWEEP_MS = 100;

/**
 * Returns a function that closes the server: in-flight responses get `graceSeconds` to finish, then their connections are
 * closed. Further calls wait for the first one.
 */
export function closerOf(server: Server, graceSeconds: number, close: () => Promise<unknown>): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const closeIdleConnections = () => {
    server.closeIdleConnections();
    // Node does not count those among them that have never sent anything.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  const closeGracefully = async () => {
    const timer = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
    // A keep-alive connection becomes idle only after its response, and would stay open for the next request.
    const sweeper = setInterval(closeIdleConnections, SWEEP_MS);
    await close();
    clearInterval(sweeper);
    clearTimeout(timer);
  };
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= closeGracefully();
    return closed;
  };
}
