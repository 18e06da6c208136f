import { type Command, note, type Result, UsageError } from "@dbdepot/terminal/command";
import { createLog } from "../platform/runtime/log.ts";
import { stopSignal } from "../platform/runtime/processes.ts";
import { requireFreePorts } from "../settings/requirements.ts";
import type { Run } from "./context.ts";
import type { DemoCredentials } from "./demo/credentials.ts";

export function addDemoCommand(program: Command, run: Run): void {
  program
    .command("demo")
    .description("Create a small catalogue in an empty data directory and serve it, with keys to try")
    .option("--reset", "delete the demo's data directory first")
    .option("--remove-credentials", "disable the demo's keys, sign-in links and sessions, and exit")
    .addHelpText(
      "after",
      note(
        "The demo's keys, sign-in links and sessions stop working when it stops. If it was killed, run it with --remove-credentials before you serve its data.",
      ),
    )
    .action(
      run(async (context, { reset = false, removeCredentials = false }) => {
        // Imported on demand, so that `serve` does not load the exporter.
        const { endDemoCredentials } = await import("./demo/credentials.ts");
        const { settings, operation, output } = context;
        if (removeCredentials) {
          if (reset) throw new UsageError("use either --reset or --remove-credentials, not both");
          return removal(await endDemoCredentials(await operation()));
        }
        const { openDemoFolder } = await import("./demo/folder.ts");
        const { createDemoLinks } = await import("./demo/accounts.ts");
        const { createDemoKeys } = await import("./demo/keys.ts");
        const { addLife } = await import("./demo/life.ts");
        const { seed } = await import("./demo/seed.ts");
        const { welcome } = await import("./demo/welcome.ts");
        const { startService } = await import("../service/service.ts");
        const { addressesOf } = await import("./serve.ts");
        await requireFreePorts(settings);
        const folder = await openDemoFolder(settings, { reset });
        if (!folder.isReady) {
          output.info(`Creating the demo in ${settings.dataDir} ...\n`);
          const publisher = { operation, objects: await context.objects() };
          await seed(publisher, (line) => output.info(line));
          await addLife(publisher, (line) => output.info(line));
          await folder.markReady();
        }
        await endDemoCredentials(await operation());
        // Only warnings are logged, so that the welcome text stays readable.
        const service = await startService(settings, { log: createLog("warn"), isDemo: true });
        // From here on, a signal ends the credentials that the demo has created.
        const stopped = stopSignal();
        try {
          const keys = await createDemoKeys(await operation());
          const links = await createDemoLinks(await operation(), service.apiUrl);
          const json = { ...addressesOf(service).json, ...keys, sign_in_links: links };
          output.print({ json, text: welcome(service, keys, links) });
          await stopped;
        } finally {
          await uninterrupted(async () => endDemoCredentials(await operation()));
          await service.close();
        }
        return undefined;
      }),
    );
}

function removal({ keys, legacyKeys, accounts }: DemoCredentials): Result {
  const keyCount = keys.length + legacyKeys.length;
  return {
    json: { keys, legacy_keys: legacyKeys, accounts },
    text:
      keyCount + accounts.length === 0
        ? "The demo has no live credentials.\n"
        : `Ended the demo's credentials. Keys revoked: ${keyCount}. Accounts disabled: ${accounts.length}.\n`,
  };
}

/** Ctrl+C in `npm start` signals this process twice: the terminal does, and npm passes the signal on. */
async function uninterrupted(action: () => Promise<unknown>): Promise<void> {
  const ignore = () => {};
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, ignore);
  await action();
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, ignore);
}
