import type { Command, Options } from "@dbdepot/terminal/command";
import { FORMATS } from "../formats.ts";

/** What can be typed, for the shells. */
export interface Grammar {
  commands: CommandGrammar[];
  /** The first words. */
  nouns: { name: string; summary: string }[];
}

export interface CommandGrammar {
  words: string;
  summary: string;
  options: OptionGrammar[];
  /** What its arguments are: ids of databases, one of some words, or nothing that we could know. */
  argument: { kind: "ids" } | { kind: "words"; words: readonly string[] } | { kind: "files" } | { kind: "none" };
}

export interface OptionGrammar {
  name: string;
  help: string;
  value:
    | { kind: "none" }
    | { kind: "files" }
    | { kind: "folders" }
    | { kind: "words"; words: readonly string[] }
    | { kind: "any" };
}

const ALWAYS: Options = {
  json: { help: "Print one JSON document and nothing else." },
  help: { help: "Show the help." },
};

export function grammarOf<W>(all: readonly Command<W>[], shared: Options): Grammar {
  const commands = all.filter(({ isHidden }) => !isHidden);
  return {
    nouns: [...new Set(commands.map(({ words }) => words.split(" ")[0] ?? ""))].map((name) => ({
      name,
      summary: commands.find(({ words }) => words === name)?.summary ?? verbsOf(name, commands),
    })),
    commands: commands.map(({ words, summary, options, arguments: [argument] }) => ({
      words,
      summary,
      options: Object.entries({ ...options, ...shared, ...ALWAYS }).map(([name, { help, value }]) => ({
        name,
        help,
        value: valueGrammar(name, value),
      })),
      argument: argumentOf(argument),
    })),
  };
}

/** A word that is no command by itself is told by what can follow. */
function verbsOf<W>(noun: string, commands: readonly Command<W>[]): string {
  const verbs = commands.flatMap(({ words }) => (words.startsWith(`${noun} `) ? [words.slice(noun.length + 1)] : []));
  return `${verbs.join(", ")}.`;
}

function valueGrammar(name: string, value: string | undefined): OptionGrammar["value"] {
  if (value === undefined) return { kind: "none" };
  if (name === "delivery") return { kind: "words", words: ["redirect", "stream"] };
  if (value === "FILE" || value === "PATH") return { kind: "files" };
  if (value === "DIR") return { kind: "folders" };
  if (value === "FORMAT" || name === "formats") return { kind: "words", words: FORMATS };
  return { kind: "any" };
}

function argumentOf(name: string | undefined): CommandGrammar["argument"] {
  if (name === "ID" || name === "[ID…]") return { kind: "ids" };
  if (name === "SHELL") return { kind: "words", words: ["bash", "zsh", "fish"] };
  return name === "[FILE]" ? { kind: "files" } : { kind: "none" };
}
