import type { Command } from "@dbdepot/terminal/command";
import type { Run } from "./noun-context.ts";

export function addServeCommand(program: Command, run: Run): void {
  program
    .command("serve")
    .description("Serve the API, and the files if they are stored on disk, until stopped")
    .action(
      run(async (context) => {
        // Imported on demand: no other command needs the server.
        const { serve } = await import("./serve/serve.ts");
        await serve(context);
        return undefined;
      }),
    );
}
