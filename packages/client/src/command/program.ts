import { type Program, runProgram } from "@dbdepot/terminal/program";
import { FULL_VERSION } from "../version.ts";
import { addChangesCommand } from "./changes.ts";
import { addCompletionCommand } from "./completion.ts";
import { addConfigCommands } from "./config.ts";
import { type ClientProcess, type CommandContext, openContext } from "./context.ts";
import { addDestinationCommands } from "./destinations.ts";
import { addDoctorCommand } from "./doctor.ts";
import { addDownloadCommand } from "./download.ts";
import { explain } from "./explanation.ts";
import { addHealthCommand } from "./health.ts";
import { addHistoryCommand } from "./history.ts";
import { addInfoCommand } from "./info.ts";
import { addKeyCommands } from "./keys.ts";
import { addLimitsCommand } from "./limits.ts";
import { addCompletionIdsCommand, addListCommand } from "./list.ts";
import { addLoginCommands } from "./login.ts";
import { addMcpCommand } from "./mcp.ts";
import { addMirrorCommand } from "./mirror.ts";
import { addShareCommand } from "./share.ts";
import { addSyncCommand } from "./sync.ts";
import { addUsageCommand } from "./usage.ts";
import { addVerifyCommand } from "./verify.ts";
import { addWebhookCommands } from "./webhooks.ts";
import { addWhoamiCommand } from "./whoami.ts";

export const DBDEPOT: Program<CommandContext> = {
  name: "dbdepot",
  version: FULL_VERSION,
  description: 'Download databases and keep them up to date. Start with "dbdepot login" and "dbdepot list".',
  build(program, run) {
    program
      .option("--config <file>", "config file (default: dbdepot.toml here, in ~/.config/dbdepot or in /etc/dbdepot)")
      .option("--url <url>", "address of the service (default: the environment variable DBDEPOT_CLIENT_URL)")
      .option(
        "--key <key>",
        "API key, visible to other users; use DBDEPOT_CLIENT_KEY or DBDEPOT_CLIENT_KEY_FILE instead",
      );
    addLoginCommands(program, run);
    addListCommand(program, run);
    addInfoCommand(program, run);
    addChangesCommand(program, run);
    addDownloadCommand(program, run);
    addSyncCommand(program, run);
    addMirrorCommand(program, run);
    addVerifyCommand(program, run);
    addHealthCommand(program, run);
    addHistoryCommand(program, run);
    addUsageCommand(program, run);
    addLimitsCommand(program, run);
    addKeyCommands(program, run);
    addShareCommand(program, run);
    addWebhookCommands(program, run);
    addDestinationCommands(program, run);
    addWhoamiCommand(program, run);
    addDoctorCommand(program, run);
    addMcpCommand(program, run);
    addConfigCommands(program, run);
    addCompletionCommand(program, run);
    addCompletionIdsCommand(program, run);
  },
  openContext,
  explain,
};

/** Runs one command line and returns its exit code. */
export function dbdepot(argv: readonly string[], process: ClientProcess): Promise<number> {
  return runProgram(DBDEPOT, argv, process);
}
