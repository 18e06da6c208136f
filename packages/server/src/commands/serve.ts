import type { Command } from "@dbdepot/terminal/command";
import { formatTime } from "@dbdepot/terminal/format";
import type { Logger } from "pino";
import { openStore } from "../adapters/sql/open.ts";
import { hasOperator } from "../domain/accounts/accounts.ts";
import { QUIET } from "../domain/backup/quiet.ts";
import { createLog } from "../platform/runtime/log.ts";
import { isSupervised, leaveSupervisor, stopSignal, superviseProcesses } from "../platform/runtime/processes.ts";
import { COMMIT, VERSION } from "../platform/version.ts";
import type { Service } from "../service/service.ts";
import { prepareDirectories, requireFreePorts } from "../settings/requirements.ts";
import type { Settings } from "../settings/settings.ts";
import type { CommandContext, Run } from "./context.ts";
import { requireNoDemoCredentials } from "./demo/credentials.ts";

const FIRST_SIGN_IN = `
Nobody can sign in to the console yet. Invite yourself, and open the link that this command prints:

  dbdepot-server accounts invite you@example.com --role operator
`;

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
  // The first line, so that the log of a start that fails names the version, too.
  if (!isSupervised()) log.info({ version: VERSION, commit: COMMIT }, "starting");
  if (settings.workers > 1 && !isSupervised()) return supervise(settings, log, (text) => output.info(text));
  // Imported on demand: no other command needs the server.
  const { startService } = await import("../service/service.ts");
  const { serveMetrics } = await import("../adapters/monitoring/metrics-server.ts");
  const service = await startService(settings, { log, checkStore: requireNoDemoCredentials });
  await using metricsServer = await serveMetrics(settings.metrics, service.services.metrics.registry, isSupervised());
  const addresses = addressesOf(service, metricsServer?.url);
  // Standard output has log lines only. The addresses for people go to standard error.
  if (!isSupervised()) {
    const copied = await service.services.store.copies.copied();
    log.info({ version: VERSION, commit: COMMIT, ...addresses.json }, servingAs(copied));
    output.info(warningOf(copied) + addresses.text);
    if (!(await hasOperator(service.services.store))) output.info(FIRST_SIGN_IN);
  }
  const signal = await stopSignal();
  if (!isSupervised()) log.info({ signal }, "stopping");
  await service.drain();
  await service.close();
  if (!isSupervised()) log.info("stopped");
  leaveSupervisor();
}

async function supervise(settings: Settings, log: Logger, say: (text: string) => void): Promise<void> {
  const { prepareSchema } = await import("../service/state.ts");
  const { serveMetricsOfProcesses } = await import("../adapters/monitoring/metrics-server.ts");
  // If a port is taken, every process would fail and be restarted forever.
  await requireFreePorts(settings);
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  let needsOperator: boolean;
  let copied: Date | undefined;
  try {
    await prepareSchema(store, settings, log);
    await requireNoDemoCredentials(store);
    needsOperator = !(await hasOperator(store));
    copied = await store.copies.copied();
  } finally {
    await store.close();
  }
  await using metricsServer = await serveMetricsOfProcesses(settings.metrics);
  // S3 serves the files itself, so there is no address to print.
  const objectsUrl = settings.objects.store === "disk" ? settings.objectsPublicUrl : undefined;
  const addresses = addressesOf({ apiUrl: settings.publicUrl, objectsUrl }, metricsServer?.url);
  log.info({ version: VERSION, commit: COMMIT, ...addresses.json, processes: settings.workers }, servingAs(copied));
  say(warningOf(copied) + addresses.text);
  if (needsOperator) say(FIRST_SIGN_IN);
  await superviseProcesses(settings.workers, {
    death: (pid) => log.error({ pid }, "a process died; starting another"),
    stop: (signal) => log.info({ signal }, "stopping"),
  });
  log.info("stopped");
}

function servingAs(copied: Date | undefined): string {
  return copied ? `serving, but ${QUIET}` : "serving";
}

function warningOf(copied: Date | undefined): string {
  return copied
    ? `This is a copy from ${formatTime(copied)}. It sends no webhooks or e-mail until "dbdepot-server activate".\n`
    : "";
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
