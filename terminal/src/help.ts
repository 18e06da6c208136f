import type { Command, OptionSpec, Options } from "./command.ts";
import { wrapped } from "./wrapped.ts";

/** What help needs to know of a program. */
interface Documented<W> {
  name: string;
  commands: readonly Command<W>[];
  options: Options;
  note: string;
}

const ALWAYS: Record<"json" | "help", OptionSpec> = {
  json: { help: "Print one JSON document and nothing else." },
  help: { help: "Show this." },
};

/** Where the screen leaves less than this beside the names, the texts go below them. */
const TEXT_COLUMNS_MIN = 36;
const INDENT = "  ";

/** All commands that begin with `words`, a line each. */
export function listHelp<W>(program: Documented<W>, words: string, columns?: number): string {
  const commands = program.commands.filter(
    (command) => !command.isHidden && (words === "" || command.words.split(" ")[0] === words),
  );
  return [
    ...wrapped(`Usage: ${program.name} ${words === "" ? "COMMAND" : words} …`, columns, INDENT),
    "",
    ...pairs(
      commands.map((command) => [usageOf(command), command.summary]),
      columns,
    ),
    "",
    ...wrapped(program.note, columns),
    "",
  ].join("\n");
}

/** One command with its options. */
export function commandHelp<W>(program: Documented<W>, command: Command<W>, columns?: number): string {
  const options = { ...command.options, json: ALWAYS.json, ...program.options, help: ALWAYS.help };
  return [
    ...wrapped(`Usage: ${program.name} ${usageOf(command)}`, columns, INDENT),
    "",
    ...wrapped(command.summary, columns),
    "",
    ...pairs(
      Object.entries(options).map(([name, { value, help, required }]) => [
        `--${name}${value ? ` ${value}` : ""}`,
        `${help}${required ? " (required)" : ""}`,
      ]),
      columns,
    ),
    "",
    ...(command.notes ?? []).flatMap((note) => [...wrapped(note, columns), ""]),
  ].join("\n");
}

function usageOf<W>({ words, arguments: names, options }: Command<W>): string {
  const required = Object.entries(options).filter(([, option]) => option.required);
  const rest = Object.keys(options).length > required.length ? ["[…]"] : [];
  return [words, ...names, ...required.map(([name, { value }]) => `--${name} ${value}`), ...rest].join(" ");
}

function pairs(rows: readonly (readonly [name: string, text: string])[], columns: number | undefined): string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  const left = columns === undefined ? undefined : columns - width - 2 * INDENT.length;
  if (left !== undefined && left < TEXT_COLUMNS_MIN) {
    const deep = INDENT.repeat(3);
    return rows.flatMap(([name, text]) => [
      ...wrapped(`${INDENT}${name}`, columns, deep),
      ...wrapped(text, columns && columns - deep.length).map((line) => `${deep}${line}`),
    ]);
  }
  const beside = " ".repeat(width + 2 * INDENT.length);
  return rows.flatMap(([name, text]) =>
    wrapped(text, left).map((line, i) => `${i === 0 ? `${INDENT}${name.padEnd(width)}${INDENT}` : beside}${line}`),
  );
}
