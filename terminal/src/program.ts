import type { Command, Options, Output } from "./command.ts";
import { type CommandLine, commandsFor, type Matching, parseCommandLine } from "./command-line.ts";
import { commandHelp, listHelp } from "./help.ts";
import { oneLine } from "./one-line.ts";
import type { Surroundings } from "./surroundings.ts";

/** How a command speaks. */
export interface Voice {
  /** A line for people while the command runs; never part of the JSON document. */
  say(line: string): void;
  /** For commands that go on running: what they have to say, said at once. */
  announce(output: Output): void;
}

/** What to tell of an error, a line each. */
export interface Explanation {
  lines: readonly string[];
  exitCode: number;
}

/** A program with commands. */
export interface Program<W extends AsyncDisposable> {
  name: string;
  version?: string;
  commands: readonly Command<W>[];
  /** What every command takes besides `--json` and `--help`. */
  options: Options;
  /** The last line of the list of commands. */
  note: string;
  /** Gives what the command works with. */
  open(line: CommandLine, surroundings: Surroundings, voice: Voice): W;
  explain(error: unknown): Explanation;
}

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** Runs one command line and gives its exit code. */
export async function runProgram<W extends AsyncDisposable>(
  program: Program<W>,
  argv: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  const { out, err, outColumns } = surroundings;
  const matching = commandsFor(program.commands, program.options, argv);
  const [command] = matching.found;
  if (!command || !matching.isExact) return explainUsage(program, argv, matching, surroundings);
  if (argv.includes("--help") || argv.includes("-h")) {
    out(commandHelp(program, command, outColumns));
    return 0;
  }
  let line: CommandLine;
  try {
    line = parseCommandLine(command, program.options, matching.rest);
  } catch (error) {
    err(`${program.name} ${command.words}: ${oneLine((error as Error).message)}\n`);
    err(`Try: ${program.name} ${command.words} --help\n`);
    return EXIT_USAGE;
  }
  return runCommand(program, command, line, surroundings);
}

async function runCommand<W extends AsyncDisposable>(
  program: Program<W>,
  command: Command<W>,
  line: CommandLine,
  surroundings: Surroundings,
): Promise<number> {
  const { out, err } = surroundings;
  const announce = ({ json, text }: Output) => out(line.json ? `${JSON.stringify(json, null, 2)}\n` : text);
  let workplace: W | undefined;
  try {
    workplace = program.open(line, surroundings, { say: line.json ? () => {} : err, announce });
    const output = await command.run(workplace, line.args, line.options);
    if (output) announce(output);
    return output?.exitCode ?? 0;
  } catch (error) {
    const { lines, exitCode } = program.explain(error);
    for (const text of lines) err(`${program.name} ${command.words}: ${oneLine(text)}\n`);
    return exitCode;
  } finally {
    await workplace?.[Symbol.asyncDispose]();
  }
}

function explainUsage<W extends AsyncDisposable>(
  program: Program<W>,
  argv: readonly string[],
  { found }: Matching<W>,
  { out, err, outColumns, errColumns }: Surroundings,
): number {
  const first = argv.find((word) => !word.startsWith("-"));
  const isNoun = first !== undefined && found.length > 0;
  const help = (columns: number | undefined) => listHelp(program, isNoun ? first : "", columns);
  if (program.version !== undefined && argv.includes("--version")) {
    out(`${program.name} ${program.version}\n`);
    return 0;
  }
  if (argv.includes("--help") || argv.includes("-h") || first === "help") {
    out(help(outColumns));
    return 0;
  }
  if (first !== undefined) {
    const words = argv.filter((word) => !word.startsWith("-")).slice(0, isNoun ? 2 : 1);
    err(`${program.name}: there is no command "${words.join(" ")}"\n\n`);
  }
  err(help(errColumns));
  return EXIT_USAGE;
}
