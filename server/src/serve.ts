import { AggregatorRegistry, collectDefaultMetrics } from "prom-client";
import type { CommandContext } from "./commands/context.ts";
import type { Metrics } from "./monitoring/metrics.ts";
import { type MetricsServer, startMetricsServer } from "./monitoring/metrics-server.ts";
import { prepareDirectories } from "./runtime/data-directory.ts";
import { requireFreePorts } from "./runtime/listen.ts";
import { createLog } from "./runtime/log.ts";
import { isSupervised, leaveSupervisor, stopSignal, superviseProcesses } from "./runtime/processes.ts";
import { prepareStore, type Service, startService } from "./service.ts";
import type { Settings } from "./settings.ts";
import { openStore } from "./sql/open.ts";

/** Serves until SIGINT or SIGTERM, from as many processes as are set. */
export async function serve({ settings, output }: CommandContext): Promise<void> {
  if (settings.workers > 1 && !isSupervised()) return supervise(settings, (text) => output.info(text));
  const log = createLog(settings.logLevel);
  const service = await startService(settings, { log });
  await using metricsServer = await serveMetrics(settings, service.services.metrics);
  const addresses = addressesOf(service, metricsServer?.url);
  // With --json, stdout has log lines only.
  if (output.isJson) log.info(addresses.json, "serving");
  else if (!isSupervised()) output.print(addresses);
  await stopSignal();
  await service.drain();
  await service.close();
  leaveSupervisor();
}

export function addressesOf({ apiUrl, objectsUrl }: Service, metricsUrl?: string) {
  const lines = [
    `API      ${apiUrl}`,
    ...(objectsUrl ? [`Files    ${objectsUrl}`] : []),
    ...(metricsUrl ? [`Metrics  ${metricsUrl}`] : []),
  ];
  return {
    json: { api_url: apiUrl, objects_url: objectsUrl ?? null, metrics_url: metricsUrl ?? null },
    text: `${lines.join("\n")}\n`,
  };
}

/** Gauges named `_total`, which promtool rejects. The same numbers are available by type. */
const MISNAMED_METRICS = ["handles", "requests", "resources"].map((kind) => `nodejs_active_${kind}_total`);

/** The supervisor serves the metrics of all its processes. */
async function serveMetrics({ metrics: address }: Settings, { registry }: Metrics): Promise<MetricsServer | undefined> {
  if (!address) return undefined;
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED_METRICS) registry.removeSingleMetric(name);
  if (!isSupervised()) return startMetricsServer(address, () => registry.metrics());
  // Creating one makes this process answer the supervisor's requests for its metrics.
  new AggregatorRegistry();
  AggregatorRegistry.setRegistries(registry);
  return undefined;
}

async function supervise(settings: Settings, say: (line: string) => void): Promise<void> {
  // Otherwise every process would fail, and be started again.
  await requireFreePorts(settings);
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  await prepareStore(store, settings, createLog(settings.logLevel)).finally(() => store.close());
  const aggregator = new AggregatorRegistry();
  await using metricsServer = settings.metrics
    ? await startMetricsServer(settings.metrics, () => aggregator.clusterMetrics())
    : undefined;
  const metricsLine = metricsServer ? `Metrics  ${metricsServer.url}\n` : "";
  say(`API      ${settings.publicUrl} (${settings.workers} processes)\n${metricsLine}`);
  await superviseProcesses(settings.workers, (pid) => say(`process ${pid} died; starting another\n`));
}
