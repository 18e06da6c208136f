import type { CommandGrammar, Grammar, OptionGrammar, ValueKind } from "./grammar.ts";

export function fishScript({ commands, nouns }: Grammar): string {
  return [
    "# fish completion for dbdepot",
    "complete -c dbdepot -f",
    "complete -c dbdepot -n __fish_use_subcommand -l version -d 'print the version'",
    ...nouns.map(
      ({ name, summary }) => `complete -c dbdepot -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    ...commands.flatMap(lines),
    "",
  ].join("\n");
}

function lines({ words, summary, options, argument }: CommandGrammar): string[] {
  const [first = "", second] = words.split(" ");
  const isTyped = second === undefined ? first : `${first}; and __fish_seen_subcommand_from ${second}`;
  const when = quoted(`__fish_seen_subcommand_from ${isTyped}`);
  return [
    ...(second === undefined
      ? []
      : [
          `complete -c dbdepot -n ${quoted(`__fish_seen_subcommand_from ${first}`)} -a ${second} -d ${quoted(summary)}`,
        ]),
    ...options.map(
      (option) => `complete -c dbdepot -n ${when} -l ${option.name}${valuePart(option)} -d ${quoted(option.help)}`,
    ),
    ...argumentLines(argument, when),
  ];
}

function valuePart({ value }: OptionGrammar): string {
  if (value.kind === "none") return "";
  if (value.kind === "words") return ` -x -a ${quoted(value.words.join(" "))}`;
  if (value.kind === "directories") return " -x -a '(__fish_complete_directories)'";
  return value.kind === "files" ? " -r -F" : " -x";
}

function argumentLines(argument: ValueKind, when: string): string[] {
  if (argument.kind === "ids") return [`complete -c dbdepot -n ${when} -a '(dbdepot completion-ids 2>/dev/null)'`];
  if (argument.kind === "words") return [`complete -c dbdepot -n ${when} -a ${quoted(argument.words.join(" "))}`];
  return argument.kind === "files" ? [`complete -c dbdepot -n ${when} -F`] : [];
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
