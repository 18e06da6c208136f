import { serve } from "../service.ts";
import { command } from "./command.ts";

export const serveCommands = [
  command({
    words: "serve",
    summary: "Serve the API, and the files where they lie in a folder, until told to stop.",
    arguments: [],
    options: {},
    async run(workplace) {
      await serve(workplace);
      return undefined;
    },
  }),
];
