import type { Command } from "@dbdepot/terminal/command";
import type { Logger } from "pino";
import { openStore } from "../adapters/sql/open.ts";
import { createLog } from "../platform/runtime/log.ts";
import { isSupervised, leaveSupervisor, stopSignal, superviseProcesses } from "../platform/runtime/processes.ts";
import type { Service } from "../service/service.ts";
import { prepareDirectories, requireFreePorts } from "../settings/requirements.ts";
import type { Settings } from "../settings/settings.ts";
import type { CommandContext, Run } from "./context.ts";
import { requireNoDemoCredentials } from "./demo/credentials.ts";

export function addServeCommand(program: Command, run: Run): void {
  program
    .command("serve")
    .description("Serve the API, and the files if they are stored on disk, until stopped")
    .action(
      run(async (context) => {
        await serve(context);
        return undefined;
      }),
    );
}

/** Serves until SIGINT or SIGTERM, from as many processes as are set. */
async function serve({ settings, output }: CommandContext): Promise<void> {
  const log = createLog(settings.logLevel);
  if (settings.workers > 1 && !isSupervised()) return supervise(settings, log, (text) => output.info(text));
  // Imported on demand: no other command needs the server.
  const { startService } = await import("../service/service.ts");
  const { serveMetrics } = await import("../adapters/monitoring/metrics-server.ts");
  const service = await startService(settings, { log, checkStore: requireNoDemoCredentials });
  await using metricsServer = await serveMetrics(settings.metrics, service.services.metrics.registry, isSupervised());
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

async function supervise(settings: Settings, log: Logger, say: (text: string) => void): Promise<void> {
  const { prepareSchema } = await import("../service/state.ts");
  const { serveMetricsOfProcesses } = await import("../adapters/monitoring/metrics-server.ts");
  // If a port is taken, every process would fail and be restarted forever.
  await requireFreePorts(settings);
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  try {
    await prepareSchema(store, settings, log);
    await requireNoDemoCredentials(store);
  } finally {
    await store.close();
  }
  await using metricsServer = await serveMetricsOfProcesses(settings.metrics);
  // S3 serves the files itself, so there is no address to print.
  const objectsUrl = settings.objects.store === "disk" ? settings.objectsPublicUrl : undefined;
  const addresses = addressesOf({ apiUrl: settings.publicUrl, objectsUrl }, metricsServer?.url);
  log.info({ ...addresses.json, processes: settings.workers }, "serving");
  say(addresses.text);
  await superviseProcesses(settings.workers, (pid) => log.error({ pid }, "a process died; starting another"));
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
