import { Command, CommanderError, type CommandUnknownOpts, Help, type Result, UsageError } from "./command.ts";
import { oneLine } from "./control-characters.ts";
import { Output } from "./output.ts";
import type { ProcessContext } from "./process-context.ts";

/** Called with the context, followed by what commander passes to an action: arguments, options, the command. */
type Handler<C, A extends unknown[]> = (context: C, ...args: A) => Promise<Result | undefined>;

/** Wraps a command's handler as a commander action: opens the context, prints the result, closes the context. */
export type Run<C> = <A extends unknown[]>(handler: Handler<C, A>) => (...args: A) => Promise<void>;

/** The lines to print for an error, and the exit code. */
export interface Explanation {
  lines: readonly string[];
  exitCode: number;
}

/** A program made of commands that all work with a context `C`. */
export interface Program<C extends AsyncDisposable> {
  name: string;
  version: string;
  description: string;
  /** Adds the global options and the commands. */
  build(program: Command, run: Run<C>): void;
  /** Creates the context of a command. `options` are the global options. */
  openContext(options: Record<string, unknown>, process: ProcessContext, output: Output): C;
  explain(error: unknown): Explanation;
}

export const EXIT_FAILED = 1;
/** The command line is wrong: an unknown option, or a value that is not accepted. */
export const EXIT_USAGE = 2;

const HELP = new Help();
const HELP_COLUMNS = 80;
const HELP_COLUMNS_MIN = 24;

/** Runs one command line and returns its exit code. */
export async function runProgram<C extends AsyncDisposable>(
  program: Program<C>,
  argv: readonly string[],
  process: ProcessContext,
): Promise<number> {
  let exitCode = 0;
  const run: Run<C> = function run<A extends unknown[]>(handler: Handler<C, A>) {
    return async (...args: A) => {
      const command = args.at(-1) as CommandUnknownOpts;
      exitCode = await runCommand(program, command, process, (context) => handler(context, ...args));
    };
  };
  const root = buildProgram(program, process, run);
  try {
    await root.parseAsync([...argv], { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

/** The tree of commands. Help, completion and the checks of the docs are derived from it. */
export function buildProgram<C extends AsyncDisposable>(
  { name, version, description, build }: Program<C>,
  process: ProcessContext,
  run: Run<C>,
): CommandUnknownOpts {
  const root = new Command(name)
    .description(description)
    .version(`${name} ${version}`, "--version", "print the version");
  build(
    root.option("--json", "print one JSON document instead of text").helpOption("-h, --help", "show help") as Command,
    run,
  );
  for (const command of commandsIn(root)) configure(command, process);
  return root;
}

/** The command and all commands below it. */
export function commandsIn(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(commandsIn)];
}

/** "dbdepot-server keys create" */
export function commandPath(command: CommandUnknownOpts): string {
  return command.parent ? `${commandPath(command.parent)} ${command.name()}` : command.name();
}

function configure(command: CommandUnknownOpts, process: ProcessContext): void {
  if (command.commands.length > 0) command.helpCommand("help [command]", "show help for a command");
  command
    .exitOverride()
    .helpOption("-h, --help", "show help")
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: HELP_COLUMNS_MIN,
      optionDescription: (option) => `${HELP.optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
    })
    .configureOutput({
      writeOut: process.writeOut,
      writeErr: process.writeErr,
      outputError: (message, write) => write(usageError(command, message.replace(/^error: /, ""))),
      getOutHelpWidth: () => process.outColumns ?? HELP_COLUMNS,
      getErrHelpWidth: () => process.errColumns ?? HELP_COLUMNS,
    });
}

async function runCommand<C extends AsyncDisposable>(
  program: Program<C>,
  command: CommandUnknownOpts,
  process: ProcessContext,
  handler: (context: C) => Promise<Result | undefined>,
): Promise<number> {
  const options: Record<string, unknown> = command.optsWithGlobals();
  const output = new Output(process, { program: program.name, isJson: options.json === true });
  let context: C | undefined;
  try {
    context = program.openContext(options, process, output);
    const result = await handler(context);
    if (result) output.print(result);
    return result?.exitCode ?? 0;
  } catch (error) {
    if (error instanceof UsageError) {
      process.writeErr(usageError(command, error.message));
      return EXIT_USAGE;
    }
    const { lines, exitCode } = program.explain(error);
    for (const line of lines) process.writeErr(`${commandPath(command)}: ${oneLine(line)}\n`);
    return exitCode;
  } finally {
    await context?.[Symbol.asyncDispose]();
  }
}

function usageError(command: CommandUnknownOpts, message: string): string {
  const path = commandPath(command);
  return `${path}: ${oneLine(message).replace(/\.$/, "")}. Try "${path} --help".\n`;
}
