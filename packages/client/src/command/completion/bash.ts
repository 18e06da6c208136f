import type { CommandGrammar, Grammar, OptionGrammar, ValueKind } from "./grammar.ts";

/** Works with bash 3.2 and without the bash-completion package. */
export function bashScript({ commands, nouns, globalValueOptions }: Grammar): string {
  const firsts = nouns.map(({ name }) => name);
  return `# bash completion for dbdepot
_dbdepot() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "$word" in
      ${globalValueOptions.join("|")}) ((i++)) ;;
      -*) ;;
      *) words="\${words:+$words }$word" ;;
    esac
  done
  case "$words" in
${subcommands(commands)
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

/** The subcommands of each command that has any. */
function subcommands(commands: readonly CommandGrammar[]): [first: string, list: string[]][] {
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
  const reply = replyWith(value);
  return `--${name}) ${reply ? `COMPREPLY=(${reply})` : ":"}; return ;;`;
}

function argumentBranch(argument: ValueKind): string {
  const reply = replyWith(argument);
  return reply ? `\n      else COMPREPLY+=(${reply})` : "";
}

/** The words to offer, or undefined if they are unknown. */
function replyWith(value: ValueKind): string | undefined {
  switch (value.kind) {
    case "ids":
      return `$(compgen -W "$(dbdepot completion-ids 2>/dev/null)" -- "$cur")`;
    case "words":
      return `$(compgen -W ${quoted(value.words.join(" "))} -- "$cur")`;
    case "files":
      return `$(compgen -f -- "$cur")`;
    case "directories":
      return `$(compgen -d -- "$cur")`;
    default:
      return undefined;
  }
}

function quoted(text: string): string {
  return `"${text}"`;
}
