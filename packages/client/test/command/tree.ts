import type { CommandUnknownOpts } from "@dbdepot/terminal/command";
import { buildProgram, commandPath, commandsIn } from "@dbdepot/terminal/program";
import { DBDEPOT } from "../../src/command/program.ts";

/** The commands of `dbdepot`, for tests that compare something with all of them. */
export const PROGRAM = buildProgram(DBDEPOT, { env: {}, writeOut: () => {}, writeErr: () => {} }, () => async () => {});

const HIDDEN = "completion-ids";

/** Every command that people can run; groups like "keys" are not among them. */
export const COMMANDS = commandsIn(PROGRAM).filter(
  (command) => (command.commands.length === 0 || command.name() === "config") && command.name() !== HIDDEN,
);

/** "keys create" */
export function wordsOf(command: CommandUnknownOpts): string {
  return commandPath(command).slice("dbdepot ".length);
}
