import { type CommandUnknownOpts, Help } from "@dbdepot/terminal/command";
import { commandPath, commandsIn } from "@dbdepot/terminal/program";

const HELP = new Help();

/** A manual page with every command and option of a program, from its help. */
export function manPage(program: CommandUnknownOpts): string {
  const name = program.name();
  const commands = commandsIn(program).filter((command) => command !== program && !isHidden(command));
  const lines = [
    `.TH ${name.toUpperCase()} 1`,
    ".SH NAME",
    `${toRoff(name)} \\- ${toRoff(program.description().replace(/\.$/, ""))}`,
    ".SH SYNOPSIS",
    `.B ${toRoff(name)}`,
    toRoff("[options] <command>"),
    ".SH OPTIONS",
    ...optionsOf(program),
    ".SH COMMANDS",
    ...commands
      .filter((command) => command.commands.length === 0 || command.registeredArguments.length > 0)
      .flatMap(sectionOf),
    ".SH SEE ALSO",
    toRoff(`Every command explains itself with --help. The guide is at /docs on the server.`),
  ];
  return `${lines.join("\n")}\n`;
}

function sectionOf(command: CommandUnknownOpts): string[] {
  const values = command.registeredArguments.map((each) => HELP.argumentTerm(each));
  const usage = [commandPath(command), ...values.map((value) => `<${value}>`)].join(" ");
  return [`.SS ${toRoff(usage)}`, `${toRoff(command.description())}.`, ...optionsOf(command)];
}

function optionsOf(command: CommandUnknownOpts): string[] {
  const options = HELP.visibleOptions(command).filter(({ long }) => command.parent === null || long !== "--help");
  return options.flatMap((option) => [
    ".TP",
    `\\fB${toRoff(option.flags)}\\fR`,
    toRoff(HELP.optionDescription(option)),
  ]);
}

/** Commands that programs use, such as completion, are not in the help of their parent. */
function isHidden(command: CommandUnknownOpts): boolean {
  return command.parent !== null && !HELP.visibleCommands(command.parent).includes(command as never);
}

/** In roff, a backslash begins an escape, a "-" is a hyphen, and a line that begins with "." or "'" is a request. */
function toRoff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^(?=[.'])/gm, "\\&");
}
