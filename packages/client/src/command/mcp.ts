import { existsSync } from "node:fs";
import { type Command, examples } from "@dbdepot/terminal/command";
import { settingOption } from "./config/options.ts";
import type { Run } from "./context.ts";
import { trustPath } from "./sync/status.ts";

/** A person waits for each answer, so problems are reported soon. */
const RETRIES = 1;

export function addMcpCommand(program: Command, run: Run): void {
  program
    .command("mcp")
    .description("Answer questions from AI assistants about your databases (MCP server on standard input and output)")
    .addOption(settingOption("directory"))
    .addHelpText("after", examples("claude mcp add dbdepot -- dbdepot mcp --directory /var/lib/databases"))
    .action(
      run(async (context, { directory }) => {
        const settings = context.settings({ directory });
        const trustFile = trustPath(settings);
        // Only sync trusts a key on first use.
        const trust = existsSync(trustFile) ? { trustFile, isTrustFileReadOnly: true } : {};
        const client = context.client(settings, { retries: RETRIES, ...trust });
        // Loaded on demand: it is larger than all other commands together.
        const { serve } = await import("./mcp/server.ts");
        await serve({ client, directory: settings.directory }, context.signals.stop);
        return undefined;
      }),
    );
}
