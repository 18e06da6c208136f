import type { CommandGrammar, Grammar, OptionGrammar } from "./grammar.ts";

/** Needs nothing but bash 3.2: no bash-completion. */
export function bashScript({ commands, nouns }: Grammar): string {
  const firsts = nouns.map(({ name }) => name);
  return `# bash completion for dbdepot
_dbdepot() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      --config|--url|--key) ((i++)) ;;
      -*) ;;
      *) words="\${words:+$words }$word" ;;
    esac
  done
  case "$words" in
${seconds(commands)
  .map(
    ([first, list]) =>
      `    ${quoted(first)}) [[ "$cur" == -* ]] || COMPREPLY=($(compgen -W ${quoted(list.join(" "))} -- "$cur")) ;;`,
  )
  .join("\n")}
    "") COMPREPLY=($(compgen -W ${quoted([...firsts, "--help", "--version"].join(" "))} -- "$cur")); return ;;
  esac
  case "$words " in
${[...commands]
  .sort((a, b) => b.words.length - a.words.length)
  .map(branch)
  .join("\n")}
  esac
}
complete -o default -F _dbdepot dbdepot
`;
}

/** Words that have further words behind them. */
function seconds(commands: readonly CommandGrammar[]): [first: string, list: string[]][] {
  const found = new Map<string, string[]>();
  for (const { words } of commands) {
    const [first = "", second] = words.split(" ");
    if (second !== undefined) found.set(first, [...(found.get(first) ?? []), second]);
  }
  return [...found];
}

function branch({ words, options, argument }: CommandGrammar): string {
  const values = options.flatMap((option) => valueBranch(option) ?? []);
  const names = options.map(({ name }) => `--${name}`).join(" ");
  return `    ${quoted(`${words} `)}*)
      case "$prev" in
${values.map((line) => `        ${line}`).join("\n")}
      esac
      if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W ${quoted(names)} -- "$cur"))${argumentBranch(argument)}
      fi
      return ;;`;
}

function valueBranch({ name, value }: OptionGrammar): string | undefined {
  if (value.kind === "none") return undefined;
  const action = {
    files: 'COMPREPLY=($(compgen -f -- "$cur"))',
    folders: 'COMPREPLY=($(compgen -d -- "$cur"))',
    words: `COMPREPLY=($(compgen -W ${quoted(value.kind === "words" ? value.words.join(" ") : "")} -- "$cur"))`,
    any: ":",
  }[value.kind];
  return `--${name}) ${action}; return ;;`;
}

function argumentBranch(argument: CommandGrammar["argument"]): string {
  if (argument.kind === "ids") {
    return `\n      else COMPREPLY=($(compgen -W "$(dbdepot completion-ids 2>/dev/null)" -- "$cur"))`;
  }
  if (argument.kind === "words") {
    return `\n      else COMPREPLY=($(compgen -W ${quoted(argument.words.join(" "))} -- "$cur"))`;
  }
  return argument.kind === "files" ? `\n      else COMPREPLY+=($(compgen -f -- "$cur"))` : "";
}

function quoted(text: string): string {
  return `"${text}"`;
}
