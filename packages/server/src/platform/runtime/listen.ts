import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { conflict } from "../primitives/faults.ts";

export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** A port, and the setting that chooses it. */
interface ChosenPort {
  port: number;
  setting: string;
}

/** Fails with all ports that are in use, so that they can be changed at once. */
export async function requireFreePorts(host: string, ports: readonly ChosenPort[]): Promise<void> {
  const busy: ChosenPort[] = [];
  for (const { port, setting } of ports) {
    try {
      const server = createServer().listen(port, host);
      await once(server, "listening");
      server.close();
      await once(server, "close");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") failedToListen(host, setting)(error as Error);
      busy.push({ port, setting });
    }
  }
  if (busy.length > 0) throw portsInUse(host, busy);
}

/** Says which setting to change if a server cannot listen on its port. */
export function failedToListen(
  host: string,
  setting: string,
): (error: NodeJS.ErrnoException & { port?: number }) => never {
  return ({ code, port = 0, message }) => {
    if (code !== "EADDRINUSE") throw conflict(`cannot listen on ${host}: ${message}`);
    throw portsInUse(host, [{ port, setting }]);
  };
}

function portsInUse(host: string, busy: readonly ChosenPort[]): Error {
  const addresses = busy.map(({ port }) => `${host}:${port}`).join(" and ");
  const settings = busy.map(({ setting }) => setting).join(" and ");
  const [ports, advice] =
    busy.length === 1
      ? ["the port is", `stop the other process, or set ${settings} to another port`]
      : ["the ports are", `stop the other processes, or set ${settings} to other ports`];
  return conflict(`cannot listen on ${addresses}: ${ports} in use (EADDRINUSE); ${advice}`);
}
