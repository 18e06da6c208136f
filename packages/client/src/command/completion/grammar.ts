import type { CommandUnknownOpts } from "@dbdepot/terminal/command";
import { commandPath, commandsIn } from "@dbdepot/terminal/program";
import { FORMATS } from "../formats.ts";

/** All commands and options, in a form that is easy to turn into completion scripts. */
export interface Grammar {
  commands: CommandGrammar[];
  /** The top-level commands. */
  nouns: { name: string; summary: string }[];
  /** Options that every command has and that take a value. */
  globalValueOptions: string[];
}

/** How to complete a value. */
export type ValueKind =
  | { kind: "none" }
  | { kind: "ids" }
  | { kind: "words"; words: readonly string[] }
  | { kind: "files" }
  | { kind: "directories" }
  | { kind: "any" };

export interface CommandGrammar {
  /** The words after the program's name, such as "keys create". */
  words: string;
  summary: string;
  options: OptionGrammar[];
  argument: ValueKind;
}

export interface OptionGrammar {
  name: string;
  help: string;
  value: ValueKind;
}

type Option = CommandUnknownOpts["options"][number];

export function grammarOf(program: CommandUnknownOpts): Grammar {
  const help = program.createHelp();
  const visible = commandsIn(program).filter((command) => command !== program && !isHidden(command));
  const globals = help.visibleOptions(program).filter(({ long }) => long !== "--version" && long !== "--help");
  return {
    nouns: visible
      .filter(({ parent }) => parent === program)
      .map((command) => ({ name: command.name(), summary: command.description() })),
    commands: visible.map((command) => ({
      words: commandPath(command).slice(program.name().length + 1),
      summary: command.description(),
      options: [...command.options, ...globals, ...help.visibleOptions(command).filter(isHelp)].map(optionGrammar),
      argument: argumentKind(command),
    })),
    globalValueOptions: globals.filter(({ required }) => required).flatMap(({ long }) => long ?? []),
  };

  function isHidden(command: CommandUnknownOpts): boolean {
    return !command.parent || !help.visibleCommands(command.parent).includes(command);
  }
}

function isHelp({ long }: Option): boolean {
  return long === "--help";
}

function optionGrammar(option: Option): OptionGrammar {
  return { name: (option.long ?? "").slice(2), help: option.description, value: valueKind(option) };
}

function valueKind({ long, flags, required, argChoices }: Option): ValueKind {
  if (!required) return { kind: "none" };
  if (argChoices) return { kind: "words", words: argChoices };
  if (long === "--delivery") return { kind: "words", words: ["redirect", "stream"] };
  if (long === "--formats") return { kind: "words", words: FORMATS };
  if (/<(file|path)>/.test(flags)) return { kind: "files" };
  return flags.includes("<dir>") ? { kind: "directories" } : { kind: "any" };
}

function argumentKind({ registeredArguments: [argument] }: CommandUnknownOpts): ValueKind {
  if (!argument) return { kind: "none" };
  if (argument.argChoices) return { kind: "words", words: argument.argChoices };
  if (argument.name() === "id") return { kind: "ids" };
  return argument.name() === "file" ? { kind: "files" } : { kind: "none" };
}
