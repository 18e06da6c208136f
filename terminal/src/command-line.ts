import { parseArgs } from "node:util";
import type { Argument, Command, Options } from "./command.ts";

/** What was typed behind a command's words. */
export interface CommandLine {
  args: Argument[];
  options: Record<string, unknown>;
  json: boolean;
  /** The values of the options that every command of the program has. */
  shared: Record<string, string | boolean | undefined>;
}

/** Throws an error whose message is for the one who typed. */
export function parseCommandLine<W>(command: Command<W>, shared: Options, argv: readonly string[]): CommandLine {
  const known = Object.entries<object>({ ...command.options, ...shared, json: {} });
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: Object.fromEntries(known.map(([name, spec]) => [name, { type: "value" in spec ? "string" : "boolean" }])),
  });
  const args = argumentsFrom(command.arguments, positionals);
  for (const [name, option] of Object.entries(command.options)) {
    if (option.required && values[name] === undefined) throw new Error(`--${name} is missing`);
  }
  const { json = false, ...options } = values;
  return {
    args,
    options,
    json: json === true,
    shared: Object.fromEntries(Object.keys(shared).map((name) => [name, values[name] as string | boolean | undefined])),
  };
}

function argumentsFrom(names: readonly string[], given: readonly string[]): Argument[] {
  const missing = names.filter((name) => !name.startsWith("["))[given.length];
  if (missing !== undefined) throw new Error(`${missing} is missing`);
  if (given.length > names.length && !names.at(-1)?.endsWith("…]")) {
    throw new Error(`"${given[names.length]}" is one argument too many`);
  }
  return names.map((name, i) => (name.endsWith("…]") ? given.slice(i) : given[i]));
}

export interface Matching<W> {
  found: Command<W>[];
  /** What comes besides the command's words. */
  rest: string[];
  isExact: boolean;
}

/** The command that the words name, or those that begin with them. */
export function commandsFor<W>(commands: readonly Command<W>[], shared: Options, argv: readonly string[]): Matching<W> {
  const places = wordPlaces(shared, argv);
  for (let count = places.length; count > 0; count -= 1) {
    const named = places.slice(0, count);
    const text = named.map((place) => argv[place]).join(" ");
    const exact = commands.filter((command) => command.words === text);
    const rest = argv.filter((_, place) => !named.includes(place));
    if (exact.length > 0) return { found: exact, rest, isExact: true };
  }
  const first = argv[places[0] ?? argv.length];
  const found = commands.filter((command) => command.words.split(" ")[0] === first);
  return { found, rest: [], isExact: false };
}

/** Where the first two words stand. The options that every command has may come before or between them. */
function wordPlaces(shared: Options, argv: readonly string[]): number[] {
  const places: number[] = [];
  for (let place = 0; place < argv.length && places.length < 2; place += 1) {
    const word = argv[place] ?? "";
    if (shared[word.slice(2)]?.value !== undefined && word.startsWith("--")) place += 1;
    else if (!word.startsWith("-")) places.push(place);
  }
  return places;
}
