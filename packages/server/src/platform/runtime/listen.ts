import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import type { Settings } from "../../settings/settings.ts";
import { conflict } from "../primitives/faults.ts";

export function urlOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
}

/** Fails with all ports that are in use, so that they can be changed at once. */
export async function requireFreePorts({ host, port, objects, objectsPort }: Settings): Promise<void> {
  const wanted = [{ port, setting: "DBDEPOT_PORT" }];
  if (objects.store === "disk") wanted.push({ port: objectsPort, setting: "DBDEPOT_OBJECTS_PORT" });
  const busy: typeof wanted = [];
  for (const { port, setting } of wanted) {
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

function portsInUse(host: string, busy: readonly { port: number; setting: string }[]): Error {
  const addresses = busy.map(({ port }) => `${host}:${port}`).join(" and ");
  const settings = busy.map(({ setting }) => setting).join(" and ");
  const [ports, advice] =
    busy.length === 1
      ? ["the port is", `stop the other process, or set ${settings} to another port`]
      : ["the ports are", `stop the other processes, or set ${settings} to other ports`];
  return conflict(`cannot listen on ${addresses}: ${ports} in use (EADDRINUSE); ${advice}`);
}
