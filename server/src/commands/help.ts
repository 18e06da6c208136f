import type { Command, OptionSpec } from "./command.ts";

const COMMON: Record<string, OptionSpec> = {
  json: { help: "Print one JSON document and nothing else." },
  "env-file": { value: "FILE", help: "Read settings from this file too; the environment wins." },
  help: { help: "Show this." },
};

/** All commands that begin with `words`, a line each. */
export function listHelp(commands: readonly Command[], words: string): string {
  const usages = commands.map((command) => usageOf(command));
  const width = Math.max(...usages.map((usage) => usage.length));
  const lines = commands.map(({ summary }, i) => `  ${usages[i]?.padEnd(width)}  ${summary}`);
  return [
    `Usage: dbdepot-server ${words === "" ? "COMMAND" : words} …`,
    "",
    ...lines,
    "",
    'Every command has "--help" and "--json". ORG is an id or an exact name. Dates are RFC 3339, like 2027-01-31T12:00:00Z.',
    "",
  ].join("\n");
}

/** One command with its options. */
export function commandHelp(command: Command): string {
  const options = { ...command.options, ...COMMON };
  const names = Object.entries(options).map(([name, { value }]) => `--${name}${value ? ` ${value}` : ""}`);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.values(options).map(
    ({ help, required }, i) => `  ${names[i]?.padEnd(width)}  ${help}${required ? " (required)" : ""}`,
  );
  return [`Usage: dbdepot-server ${usageOf(command)}`, "", command.summary, "", ...lines, ""].join("\n");
}

function usageOf({ words, arguments: names, options }: Command): string {
  const required = Object.entries(options).filter(([, option]) => option.required);
  const rest = Object.keys(options).length > required.length ? ["[…]"] : [];
  return [words, ...names, ...required.map(([name, { value }]) => `--${name} ${value}`), ...rest].join(" ");
}
