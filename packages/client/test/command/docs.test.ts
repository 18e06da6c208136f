import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandUnknownOpts, Help } from "@dbdepot/terminal/command";
import { parse } from "smol-toml";
import { beforeAll, describe, expect, it } from "vitest";
import { SETTINGS, type SettingName, variableOf } from "../../src/command/config/settings.ts";
import { EXIT_MEANINGS } from "../../src/command/exit-codes.ts";
import { COMMANDS, PROGRAM, wordsOf } from "./tree.ts";

const HELP = new Help();

describe("docs/customers/cli.md", () => {
  let page: string;
  beforeAll(async () => {
    page = await readFile(join(import.meta.dirname, "../../../../docs/customers/cli.md"), "utf8");
  });

  /** The text between a heading and the next one. */
  function section(heading: string): string {
    const [, rest = ""] = page.split(`\n${heading}\n`);
    return rest.split(/\n##+ /)[0] ?? "";
  }

  /** The rows of the tables in a text, by the first cell. */
  function rows(text: string): Map<string, string[]> {
    const lines = text.split("\n").filter((line) => /^\| [`\d]/.test(line));
    return new Map(lines.map((line) => line.slice(2, -2).split(" | ")).map(([name = "", ...cells]) => [name, cells]));
  }

  function headingOf(command: CommandUnknownOpts): string {
    const names = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    });
    return [wordsOf(command), ...names].join(" ");
  }

  function optionRows(options: CommandUnknownOpts["options"]): [string, string[]][] {
    return options.map((option) => [
      `\`${option.flags}\``,
      [`${HELP.optionDescription(option)}${option.mandatory ? " (required)" : ""}`],
    ]);
  }

  it("lists every command, in the order of the help, and no other", () => {
    const headings = [...page.matchAll(/^### `dbdepot (.*)`$/gm)].map(([, words]) => words);
    expect(headings).toEqual(COMMANDS.map(headingOf));
  });

  it.each(COMMANDS.map((command) => [wordsOf(command), command] as const))(
    "lists every option of %s, and no other",
    (_, command) => {
      const text = section(`### \`dbdepot ${headingOf(command)}\``);
      expect(text).toContain(command.description());
      const documented = [...rows(text)].filter(([name]) => name.startsWith("`--"));
      expect(documented).toEqual(optionRows(command.options));
    },
  );

  it("lists the global options", () => {
    expect([...rows(section("## Global options"))]).toEqual([
      ...optionRows(PROGRAM.options),
      ["`-h, --help`", ["show help"]],
    ]);
  });

  it("lists every setting with its variable and default", () => {
    expect([...rows(section("## Settings"))]).toEqual(
      Object.entries(SETTINGS).map(([name, { help, fallback }]) => [
        `\`${name}\``,
        [`\`${variableOf(name as SettingName)}\``, help, fallback],
      ]),
    );
  });

  it("lists every exit code", () => {
    expect([...rows(section("## Exit codes"))]).toEqual(
      Object.entries(EXIT_MEANINGS).map(([code, meaning]) => [code, [meaning]]),
    );
  });

  it("contains a valid config file", () => {
    const text = /```toml\n([^`]*)```/.exec(page)?.[1] ?? "";
    const names = Object.keys(parse(text));
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(Object.keys(SETTINGS)).toContain(name);
  });
});
