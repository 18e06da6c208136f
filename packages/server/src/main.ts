import { PROCESS, type ProcessContext } from "@dbdepot/terminal/process-context";
import { EXIT_FAILED, EXIT_USAGE, type Program, runProgram } from "@dbdepot/terminal/program";
import { addCommands } from "./commands/all.ts";
import { type CommandContext, openContext } from "./commands/context.ts";
import { Interrupted } from "./commands/interruption.ts";
import { BuildRefused } from "./domain/builds/refusal.ts";
import { Fault } from "./platform/primitives/faults.ts";
import { explainFileError } from "./platform/runtime/file-errors.ts";
import { isSupervised } from "./platform/runtime/processes.ts";
import { FULL_VERSION } from "./platform/version.ts";
import { readEnvFile } from "./settings/env-file.ts";
import { parseSettings, SettingsFault, unknownSettings } from "./settings/settings.ts";

export const DBDEPOT_SERVER: Program<CommandContext> = {
  name: "dbdepot-server",
  version: FULL_VERSION,
  description: "Distribute databases: publish builds, grant licences, issue keys and serve downloads",
  build(program, run) {
    program.option("--env-file <file>", "file with settings; environment variables take precedence");
    addCommands(program, run);
  },
  openContext({ envFile }, { env }, output) {
    const file = typeof envFile === "string" ? readEnvFile("--env-file", envFile) : undefined;
    const environment = { ...file?.variables, ...env };
    // One warning is enough if several processes serve.
    if (!isSupervised()) {
      for (const warning of file?.warnings ?? []) output.warn(warning);
      for (const name of unknownSettings(environment)) output.warn(`${name} is not a setting and is ignored`);
    }
    return openContext(parseSettings(environment), output);
  },
  explain: (error) => ({
    lines: messagesOf(error),
    exitCode: exitCodeOf(error),
  }),
};

/** Runs one command line and returns its exit code. */
export function main(argv: readonly string[], process: ProcessContext = PROCESS): Promise<number> {
  return runProgram(DBDEPOT_SERVER, argv, process);
}

// Started from source: node packages/server/src/main.ts
if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // The command line was valid, but the files were not.
  if (error instanceof BuildRefused) return EXIT_FAILED;
  // An invalid setting counts as wrong usage, like an invalid option.
  if (error instanceof SettingsFault) return EXIT_USAGE;
  return error instanceof Fault && (error.kind === "invalid" || error.kind === "invalid_url")
    ? EXIT_USAGE
    : EXIT_FAILED;
}

/** One line for each fault, if the error has several. */
function messagesOf(error: unknown): string[] {
  const { message, code, faults } = error as NodeJS.ErrnoException & { faults?: readonly string[] };
  return faults ? [...faults] : [explainFileError(error) ?? (message || code || String(error))];
}
