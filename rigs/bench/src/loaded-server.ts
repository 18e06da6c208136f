import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../harness/free-port.ts";
import { type HttpRequest, send } from "../../harness/http.ts";
import { type Server, type ServerData, startServer } from "../../harness/server.ts";

const TIMEOUT_MS = 120_000;
const INTERVAL_MS = 100;

/** A server that has loaded all its keys into memory, which it does in the background after its first response. */
export async function startLoadedServer(data: ServerData, firstRequest: HttpRequest, keys: number): Promise<Server> {
  const port = await freePort();
  const server = await startServer({ ...data, settings: { DBDEPOT_METRICS_PORT: String(port) } }, firstRequest);
  try {
    await waitForKeys(`http://127.0.0.1:${port}`, keys);
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
  return server;
}

async function waitForKeys(metricsOrigin: string, keys: number): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { body } = await send(metricsOrigin, { path: "/metrics", headers: {} });
    const loaded = Number(/^dbdepot_register_keys (\d+)$/m.exec(body.toString())?.[1] ?? 0);
    if (loaded >= keys) return;
    if (performance.now() > deadline) throw new Error(`only ${loaded} of ${keys} keys were loaded`);
    await delay(INTERVAL_MS);
  }
}
