import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Returns an unused port on 127.0.0.1, also for tests. It is below the range the system assigns automatically, so no other
 * connection takes it before the caller does.
 */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return freePort();
  }
  await once(server.close(), "close");
  return port;
}
