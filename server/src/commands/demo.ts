import type { Command } from "@dbdepot/terminal/command";
import { createLog } from "../runtime/log.ts";
import { stopSignal } from "../runtime/processes.ts";
import type { Run } from "./context.ts";

export function addDemoCommand(program: Command, run: Run): void {
  program
    .command("demo")
    .description("Create a small catalogue in an empty data directory and serve it, with keys to try")
    .option("--reset", "delete the demo's data directory first")
    .action(
      run(async (context, { reset = false }) => {
        // Imported on demand, so that `serve` does not load the exporter.
        const { openDemoFolder } = await import("../demo/folder.ts");
        const { renewDemoLinks } = await import("../demo/accounts.ts");
        const { renewDemoKeys } = await import("../demo/keys.ts");
        const { seed } = await import("../demo/seed.ts");
        const { welcome } = await import("../demo/welcome.ts");
        const { startService } = await import("../service.ts");
        const { addressesOf } = await import("../serve.ts");
        const { settings, operation, output } = context;
        const folder = await openDemoFolder(settings, { reset });
        if (!folder.isReady) {
          await seed({ operation, objects: await context.objects() }, (line) => output.info(line));
          await folder.markReady();
        }
        const keys = await renewDemoKeys(await operation());
        // Only warnings are logged, so that the welcome text stays readable.
        const service = await startService(settings, { log: createLog("warn"), isDemo: true });
        const links = await renewDemoLinks(await operation(), service.apiUrl);
        const json = { ...addressesOf(service).json, ...keys, sign_in_links: links };
        output.print({ json, text: welcome(service, keys, links) });
        await stopSignal();
        await service.close();
        return undefined;
      }),
    );
}
