import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Registry } from "prom-client";
import { conflict } from "../../platform/primitives/faults.ts";

const REQUEST_TIMEOUT_MS = 10_000;

export interface MetricsServer extends AsyncDisposable {
  url: string;
}

/** Serves what `read` returns at `/metrics`. */
export async function startMetricsServer(
  { host, port }: { host: string; port: number },
  read: () => Promise<string>,
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    if (request.url !== "/metrics" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(404, { "content-type": "text/plain" }).end("Metrics are at /metrics.\n");
      return;
    }
    read().then(
      (text) => response.writeHead(200, { "content-type": Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  await listen(server, host, port);
  const { port: actualPort } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}/metrics`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw conflict(
      `cannot serve metrics on ${host}:${port} (${code}): set DBDEPOT_METRICS_PORT to another port, or to off`,
    );
  }
}
