import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** An upper limit, so that a test ends even if the client does not. */
const MAX_BYTES = 100_000_000;

interface Sent {
  url: string;
  /** How many bytes of endless bodies were sent. */
  bytes: number;
}

/** Serves a mirror, but files that `isEndless` chooses have an endless body. */
export async function serveEndlessly(
  directory: string,
  isEndless: (path: string) => boolean,
): Promise<{ sent: Sent; server: Server }> {
  const sent: Sent = { bytes: 0, url: "" };
  const server = createServer(async ({ url: path = "" }, response) => {
    if (!isEndless(path)) {
      const body = await readFile(join(directory, path)).catch(() => undefined);
      return void response.writeHead(body ? 200 : 404).end(body);
    }
    const chunk = Buffer.alloc(1_000_000, " ");
    const send = (): void => {
      sent.bytes += chunk.length;
      if (sent.bytes > MAX_BYTES) return void response.end();
      response.write(chunk) ? setImmediate(send) : response.once("drain", send);
    };
    send();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  sent.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { sent, server };
}
