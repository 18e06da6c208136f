import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { invalid } from "../primitives/faults.ts";

export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** Fails if another program listens on the port. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, "listening");
  server.close();
  await once(server, "close");
}

/** Says which setting to change if a server cannot listen on its port. */
export function failedToListen(
  host: string,
  setting: string,
): (error: NodeJS.ErrnoException & { port?: number }) => never {
  return ({ code, port, message }) => {
    if (code !== "EADDRINUSE") throw invalid(`cannot listen on ${host}: ${message}`);
    throw invalid(
      `cannot listen on ${host}:${port}: the port is in use (EADDRINUSE); stop the other process, or set ${setting} to another port`,
    );
  };
}
