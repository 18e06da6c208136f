import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { AggregatorRegistry, collectDefaultMetrics, Registry } from "@prometheus-io/client";
import { conflict } from "../../platform/primitives/faults.ts";

const REQUEST_TIMEOUT_MS = 10_000;

/** Metrics whose names promtool rejects. The numbers of the gauges are available by type. */
const MISNAMED_METRICS = [
  ...["handles", "requests", "resources"].map((kind) => `nodejs_active_${kind}_total`),
  ...["histogram", "summary"].map((type) => `nodejs_eventloop_utilization_${type}`),
];

export interface MetricsServer extends AsyncDisposable {
  url: string;
}

interface Address {
  host: string;
  port: number;
}

/** Serves the metrics of this process. If it is supervised, the supervisor serves the metrics of all its processes. */
export async function serveMetrics(
  address: Address | null,
  registry: Registry,
  isSupervised: boolean,
): Promise<MetricsServer | undefined> {
  if (!address) return undefined;
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED_METRICS) registry.removeSingleMetric(name);
  if (!isSupervised) return startMetricsServer(address, () => registry.metrics());
  // The constructor makes this process answer the supervisor's requests for its metrics.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(registry);
  return undefined;
}

/** Serves the sums of the metrics of all processes that this one supervises. */
export async function serveMetricsOfProcesses(address: Address | null): Promise<MetricsServer | undefined> {
  if (!address) return undefined;
  const aggregator = new AggregatorRegistry();
  return startMetricsServer(address, () => aggregator.clusterMetrics());
}

/** Serves the text that `read` returns at `/metrics`. */
export async function startMetricsServer({ host, port }: Address, read: () => Promise<string>): Promise<MetricsServer> {
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
