import { readFileSync } from "node:fs";
import { parseArgs, parseEnv } from "node:util";
import { BuildRefused } from "./builds/refusal.ts";
import { COMMANDS } from "./commands/all.ts";
import type { Command, Output } from "./commands/command.ts";
import { commandHelp, listHelp } from "./commands/help.ts";
import { Fault } from "./faults.ts";
import { parseSettings, SettingsFault } from "./settings.ts";
import { openWorkplace } from "./workplace.ts";

/** Where a run prints to, and where its settings come from. */
export interface Surroundings {
  environment: Record<string, string | undefined>;
  out(text: string): void;
  err(text: string): void;
}

const PROCESS: Surroundings = {
  environment: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
};

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Runs one command line and gives its exit code. */
export async function main(argv: readonly string[], surroundings: Surroundings = PROCESS): Promise<number> {
  const { out, err } = surroundings;
  const matching = commandsFor(argv);
  const [command] = matching.found;
  if (!command || !matching.isExact) return explainUsage(argv, matching, surroundings);
  if (argv.includes("--help") || argv.includes("-h")) {
    out(commandHelp(command));
    return 0;
  }
  let line: CommandLine;
  try {
    line = parseCommandLine(command, matching.rest);
  } catch (error) {
    err(`dbdepot-server ${command.words}: ${oneLine((error as Error).message)}\n`);
    err(`Try: dbdepot-server ${command.words} --help\n`);
    return EXIT_USAGE;
  }
  return runCommand(command, line, surroundings);
}

async function runCommand(command: Command, line: CommandLine, surroundings: Surroundings): Promise<number> {
  const { out, err } = surroundings;
  try {
    const settings = parseSettings(withEnvFile(line.envFile, surroundings.environment));
    const announce = ({ json, text }: Output) => out(line.json ? `${JSON.stringify(json, null, 2)}\n` : text);
    await using workplace = openWorkplace(settings, { say: line.json ? () => {} : err, announce });
    const output = await command.run(workplace, line.args, line.options);
    if (output) announce(output);
    return output?.exitCode ?? 0;
  } catch (error) {
    for (const message of messagesOf(error)) err(`dbdepot-server ${command.words}: ${oneLine(message)}\n`);
    return EXIT_FAILED;
  }
}

interface CommandLine {
  args: string[];
  options: Record<string, unknown>;
  json: boolean;
  envFile: string | undefined;
}

function parseCommandLine(command: Command, argv: readonly string[]): CommandLine {
  const known = Object.entries({ ...command.options, "env-file": { value: "FILE" }, json: {} });
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: Object.fromEntries(known.map(([name, spec]) => [name, { type: "value" in spec ? "string" : "boolean" }])),
  });
  const needed = command.arguments.filter((name) => !name.startsWith("["));
  const missing = needed[positionals.length];
  if (missing !== undefined) throw new Error(`${missing} is missing`);
  if (positionals.length > command.arguments.length) {
    throw new Error(`"${positionals[command.arguments.length]}" is one argument too many`);
  }
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && values[name] === undefined) throw new Error(`--${name} is missing`);
  }
  const { json = false, "env-file": envFile, ...options } = values;
  return { args: positionals, options, json: json === true, envFile: envFile as string | undefined };
}

interface Matching {
  found: Command[];
  /** What comes besides the command's words. */
  rest: string[];
  isExact: boolean;
}

/** The command that the words name, or those that begin with them. */
function commandsFor(argv: readonly string[]): Matching {
  const places = wordPlaces(argv);
  for (let count = places.length; count > 0; count -= 1) {
    const named = places.slice(0, count);
    const text = named.map((place) => argv[place]).join(" ");
    const exact = COMMANDS.filter((command) => command.words === text);
    const rest = argv.filter((_, place) => !named.includes(place));
    if (exact.length > 0) return { found: exact, rest, isExact: true };
  }
  const first = argv[places[0] ?? argv.length];
  const found = COMMANDS.filter((command) => command.words.split(" ")[0] === first);
  return { found, rest: [], isExact: false };
}

/** Where the first two words stand. The options that every command has may come before or between them. */
function wordPlaces(argv: readonly string[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < argv.length && places.length < 2; place += 1) {
    const word = argv[place] ?? "";
    if (word === "--env-file") place += 1;
    else if (!word.startsWith("-")) places.push(place);
  }
  return places;
}

function explainUsage(argv: readonly string[], { found }: Matching, { out, err }: Surroundings): number {
  const first = argv.find((word) => !word.startsWith("-"));
  const wantsHelp = argv.includes("--help") || argv.includes("-h") || first === "help";
  const isNoun = first !== undefined && found.length > 0;
  const help = isNoun ? listHelp(found, first) : listHelp(COMMANDS, "");
  if (wantsHelp) {
    out(help);
    return 0;
  }
  if (first !== undefined) {
    const words = argv.filter((word) => !word.startsWith("-")).slice(0, isNoun ? 2 : 1);
    err(`dbdepot-server: there is no command "${words.join(" ")}"\n\n`);
  }
  err(help);
  return EXIT_USAGE;
}

function withEnvFile(path: string | undefined, environment: Surroundings["environment"]) {
  if (path === undefined) return environment;
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new SettingsFault([`--env-file: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`]);
  }
  return { ...parseEnv(text), ...environment };
}

function messagesOf(error: unknown): string[] {
  if (error instanceof SettingsFault || error instanceof BuildRefused) return [...error.faults];
  if (error instanceof Fault) return [error.message];
  const { message, code } = error as NodeJS.ErrnoException;
  return [message || code || String(error)];
}

/** What others wrote, Node or a file, may hold line breaks. */
function oneLine(message: string): string {
  return message.replace(/\s*[\r\n]+\s*/g, " ");
}
