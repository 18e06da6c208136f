import type { CommandGrammar, Grammar, OptionGrammar, ValueKind } from "./grammar.ts";

export function zshScript({ commands, nouns }: Grammar): string {
  const singles = commands.filter(({ words }) => !words.includes(" "));
  const described = nouns.map(({ name, summary }) => quoted(`${name}:${summary}`));
  return `#compdef dbdepot
_dbdepot_ids() { local -a ids; ids=(\${(f)"$(dbdepot completion-ids 2>/dev/null)"}); compadd -a ids; }
_dbdepot() {
  local curcontext="$curcontext" state line
  local -a verbs
  if (( CURRENT == 2 )); then
    verbs=(${described.join(" ")})
    _describe 'command' verbs
    return
  fi
  case "$words[2]" in
${nouns.map(({ name }) => nounBranch(name, commands, singles)).join("\n")}
  esac
}
compdef _dbdepot dbdepot
`;
}

function nounBranch(noun: string, commands: readonly CommandGrammar[], singles: readonly CommandGrammar[]): string {
  const alone = singles.find(({ words }) => words === noun);
  const verbs = commands.filter(({ words }) => words.startsWith(`${noun} `));
  if (verbs.length === 0) return `    ${noun})\n      ${argumentsOf(alone, 2)} ;;`;
  const list = verbs.map(({ words, summary }) => quoted(`${words.slice(noun.length + 1)}:${summary}`)).join(" ");
  const branches = verbs.map((verb) => `        ${verb.words.slice(noun.length + 1)}) ${argumentsOf(verb, 3)} ;;`);
  return `    ${noun})
      if (( CURRENT == 3 )) && [[ "$PREFIX" != -* ]]; then verbs=(${list}); _describe 'command' verbs; return; fi
      case "$words[3]" in
${branches.join("\n")}
        *) ${alone ? argumentsOf(alone, 2) : ":"} ;;
      esac ;;`;
}

/** Drops the command words, so that `_arguments` counts from the first argument. */
function argumentsOf(command: CommandGrammar | undefined, taken: number): string {
  const specs = [...(command?.options ?? []).map(optionSpec), ...argumentSpec(command?.argument)];
  return `shift ${taken - 1} words; (( CURRENT -= ${taken - 1} )); _arguments ${specs.map(quoted).join(" ")}`;
}

function optionSpec({ name, help, value }: OptionGrammar): string {
  const description = help.replace(/[[\]:\\]/g, "\\$&");
  const kinds = {
    none: "",
    ids: ":id:_dbdepot_ids",
    files: ":file:_files",
    directories: ":directory:_files -/",
    any: ":value: ",
  };
  const tail = value.kind === "words" ? `:value:(${value.words.join(" ")})` : kinds[value.kind];
  return `--${name}[${description}]${tail}`;
}

function argumentSpec(argument: ValueKind | undefined): string[] {
  if (argument?.kind === "ids") return ["*:id:_dbdepot_ids"];
  if (argument?.kind === "words") return [`1:word:(${argument.words.join(" ")})`];
  return argument?.kind === "files" ? ["1:file:_files"] : [];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
