import { createLog } from "../log.ts";
import { stopSignal } from "../processes.ts";
import { command } from "./command.ts";

export const demoCommands = [
  command({
    words: "demo",
    summary: "Make a small catalogue in an empty data folder and serve it, with keys to try.",
    arguments: [],
    options: { reset: { help: "Throw the demo's data folder away and begin anew." } },
    async run(workplace, _, { reset }) {
      // Loaded here, with the exporter behind it: `serve` starts faster, and smaller, without.
      const { openDemoFolder } = await import("../demo/folder.ts");
      const { renewDemoKeys } = await import("../demo/keys.ts");
      const { seed } = await import("../demo/seed.ts");
      const { welcome } = await import("../demo/welcome.ts");
      const { addressesOf, startService } = await import("../service.ts");
      const { settings, operation, say, announce } = workplace;
      const folder = await openDemoFolder(settings, { reset });
      if (!folder.isReady) await seed({ operation, objects: await workplace.objects() }, say).then(folder.markReady);
      const keys = await renewDemoKeys(await operation());
      // A quiet one: what it prints is for reading.
      const service = await startService(settings, { log: createLog("warn") });
      announce({ json: { ...addressesOf(service).json, ...keys }, text: welcome(service, keys) });
      await stopSignal();
      await service.close();
      return undefined;
    },
  }),
];
