import { command } from "./command.ts";

export const serveCommands = [
  command({
    words: "serve",
    summary: "Serve the API, and the files where they lie in a folder, until told to stop.",
    arguments: [],
    options: {},
    async run(workplace) {
      // Loaded here: no other command needs a server.
      const { serve } = await import("../service.ts");
      await serve(workplace);
      return undefined;
    },
  }),
];
