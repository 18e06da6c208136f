import { demo } from "../service.ts";
import { command } from "./command.ts";

export const demoCommands = [
  command({
    words: "demo",
    summary: "Make a small catalogue in an empty data folder and serve it, with keys to try.",
    arguments: [],
    options: { reset: { help: "Throw the demo's data folder away and begin anew." } },
    async run(workplace, _, { reset }) {
      await demo(workplace, { reset });
      return undefined;
    },
  }),
];
