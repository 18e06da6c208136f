import { CommanderError } from "@dbdepot/terminal/command";
import { buildProgram, commandsIn, type Program } from "@dbdepot/terminal/program";
import { describe, expect, it } from "vitest";
import { DBDEPOT } from "../../../client/src/command/program.ts";
import { DBDEPOT_SERVER } from "../../src/main.ts";
import { PAGES } from "./pages.ts";

const GROUPS = [programOf(DBDEPOT), programOf(DBDEPOT_SERVER)]
  .flatMap(({ commands }) => commands.filter((command) => command.commands.length > 0))
  .map((command) => command.name());

describe("the commands of dbdepot and dbdepot-server that pages mention", () => {
  it.each(PAGES)("in $path exist with their options", ({ text, blocks }) => {
    const spans = [...text.replaceAll(/^ *```.*?^ *```$/gms, "").matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
    const lines = blocks
      .filter(({ info }) => info.startsWith("sh not run:"))
      .flatMap(({ code }) => code.replaceAll("\\\n", " ").replaceAll(/#.*/g, "").split("\n"))
      .flatMap((line) => /\bdbdepot-server [^"]*/.exec(line)?.[0] ?? []);
    expect([...spans, ...lines].filter(isMistake)).toEqual([]);
  });

  it.each([
    ["dbdepot-server --env-file new.env keys rotate KEY --overlap 1h", false],
    ["builds publish … --keep 5", false],
    ["builds rollback vpn_ip_v1 [--to BUILD]", false],
    ["npx dbdepot-server builds purge", true],
    ["dbdepot-server keys rotate KEY --grace 1h", true],
    ["builds publish … --retain 5", true],
    ["builds purge", true],
    ["dbdepot sink", true],
  ])("are checked: %s", (text, expected) => {
    expect(isMistake(text)).toBe(expected);
  });
});

/** Whether a text looks like a command line, but the command or an option of it does not exist. */
function isMistake(text: string): boolean {
  const [first = "", ...rest] = text
    .replace(/^npx /, "")
    .replaceAll(/[[\]…]/g, "")
    .trim()
    .split(/\s+/);
  if (rest.length === 0) return false;
  if (first === "dbdepot") return !isKnown(DBDEPOT, rest);
  if (first === "dbdepot-server") return !isKnown(DBDEPOT_SERVER, rest);
  // Many tables omit the name of the program.
  return GROUPS.includes(first) && !isKnown(DBDEPOT, [first, ...rest]) && !isKnown(DBDEPOT_SERVER, [first, ...rest]);
}

function isKnown<C extends AsyncDisposable>(program: Program<C>, words: string[]): boolean {
  try {
    programOf(program).parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Pages omit arguments and use placeholders, so other errors don't matter.
    return error.code !== "commander.unknownCommand" && error.code !== "commander.unknownOption";
  }
  return true;
}

/** The program with commands that do nothing and require no option. */
function programOf<C extends AsyncDisposable>(program: Program<C>) {
  const root = buildProgram(program, { env: {}, writeOut: () => {}, writeErr: () => {} }, () => async () => {});
  for (const { options } of commandsIn(root)) for (const option of options) option.mandatory = false;
  return root;
}
