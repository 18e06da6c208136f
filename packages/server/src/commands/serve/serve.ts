import type { Logger } from "pino";
import { AggregatorRegistry, collectDefaultMetrics } from "prom-client";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import { type MetricsServer, startMetricsServer } from "../../adapters/monitoring/metrics-server.ts";
import { openStore } from "../../adapters/sql/open.ts";
import { createLog } from "../../platform/runtime/log.ts";
import { isSupervised, leaveSupervisor, stopSignal, superviseProcesses } from "../../platform/runtime/processes.ts";
import { prepareSchema, type Service, startService } from "../../service.ts";
import { prepareDirectories, requireFreePorts } from "../../settings/requirements.ts";
import type { Settings } from "../../settings/settings.ts";
import { requireNoDemoCredentials } from "../demo/credentials.ts";
import type { CommandContext } from "../noun-context.ts";

/** Serves until SIGINT or SIGTERM, from as many processes as are set. */
export async function serve({ settings, output }: CommandContext): Promise<void> {
  const log = createLog(settings.logLevel);
  if (settings.workers > 1 && !isSupervised()) return supervise(settings, log, (text) => output.info(text));
  const service = await startService(settings, { log, checkStore: requireNoDemoCredentials });
  await using metricsServer = await serveMetrics(settings, service.services.metrics);
  const addresses = addressesOf(service, metricsServer?.url);
  // Standard output has log lines only. The addresses for people go to standard error.
  if (!isSupervised()) {
    log.info(addresses.json, "serving");
    output.info(addresses.text);
  }
  await stopSignal();
  await service.drain();
  await service.close();
  leaveSupervisor();
}

export function addressesOf({ apiUrl, objectsUrl }: Pick<Service, "apiUrl" | "objectsUrl">, metricsUrl?: string) {
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

async function supervise(settings: Settings, log: Logger, say: (text: string) => void): Promise<void> {
  // Otherwise every process would fail, and be started again.
  await requireFreePorts(settings);
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  try {
    await prepareSchema(store, settings, log);
    await requireNoDemoCredentials(store);
  } finally {
    await store.close();
  }
  const aggregator = new AggregatorRegistry();
  await using metricsServer = settings.metrics
    ? await startMetricsServer(settings.metrics, () => aggregator.clusterMetrics())
    : undefined;
  // If the storage serves the files, this process does not know their address.
  const objectsUrl = settings.objects.store === "disk" ? settings.objectsPublicUrl : undefined;
  const addresses = addressesOf({ apiUrl: settings.publicUrl, objectsUrl }, metricsServer?.url);
  log.info({ ...addresses.json, processes: settings.workers }, "serving");
  say(addresses.text);
  await superviseProcesses(settings.workers, (pid) => log.error({ pid }, "a process died; starting another"));
}
