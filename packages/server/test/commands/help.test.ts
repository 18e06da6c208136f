import { readFile } from "node:fs/promises";
import { Help } from "@dbdepot/terminal/command";
import { buildProgram, commandPath, commandsIn } from "@dbdepot/terminal/program";
import { describe, expect, it } from "vitest";
import { DBDEPOT_SERVER } from "../../src/main.ts";
import { runCommand } from "./terminal.ts";

/** Help must not need valid settings. */
const WRONG = { DBDEPOT_DATABASE_URL: "nonsense" };

const PROGRAM = buildProgram(DBDEPOT_SERVER, { env: {}, writeOut: () => {}, writeErr: () => {} }, () => async () => {});
const COMMANDS = commandsIn(PROGRAM).filter((command) => command !== PROGRAM);

function flat(text: string): string {
  return text.replace(/\s+/g, " ");
}

describe("dbdepot-server --help", () => {
  it.each(COMMANDS.map((command) => [commandPath(command), command] as const))(
    "describes %s with all its options",
    async (path, command) => {
      for (const flag of ["--help", "-h"]) {
        const { exitCode, out, err } = await runCommand([...path.split(" ").slice(1), flag], WRONG);
        expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
        expect(out.startsWith(`Usage: ${path}`)).toBe(true);
        expect(flat(out)).toContain(command.description());
        for (const option of command.options) {
          const required = option.mandatory ? " (required)" : "";
          expect(flat(out)).toContain(`${option.flags} ${new Help().optionDescription(option)}${required}`);
        }
        for (const name of ["--json", "--env-file <file>", "-h, --help"]) expect(out).toContain(name);
      }
    },
  );

  it("follows one style: summaries are imperative without a period, options are noun phrases", () => {
    for (const command of [PROGRAM, ...COMMANDS]) {
      expect(command.description()).toMatch(/^[A-Z].*[^.]$/);
      for (const { description } of command.options) expect(description).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it.each([[["--help"]], [["-h"]], [["help"]]])("lists every command with %j", async (argv) => {
    const { exitCode, out, err } = await runCommand(argv, WRONG);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    for (const command of PROGRAM.commands) {
      expect(out).toMatch(new RegExp(`^  ${command.name()}\\b`, "m"));
      expect(flat(out)).toContain(command.description());
    }
  });

  it("lists the commands of one noun", async () => {
    for (const argv of [
      ["keys", "--help"],
      ["help", "keys"],
    ]) {
      const { exitCode, out } = await runCommand(argv, WRONG);
      expect(exitCode).toBe(0);
      expect(out).toContain("  rotate ");
      expect(out).not.toContain("licences");
    }
  });

  it("finds the command before, between and after global options", async () => {
    for (const argv of [
      ["--json", "keys", "create", "--help"],
      ["keys", "--env-file", "orgs", "create", "-h"],
    ]) {
      expect((await runCommand(argv, WRONG)).out).toMatch(/^Usage: dbdepot-server keys create/);
    }
  });

  it("goes to stderr with exit code 2 if no command is given", async () => {
    for (const argv of [[], ["keys"]]) {
      const { exitCode, out, err } = await runCommand(argv, WRONG);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain("Usage: dbdepot-server");
    }
  });
});

describe("dbdepot-server --version", () => {
  it("prints the version of the package", async () => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await runCommand(["--version"], WRONG)).toEqual({
      exitCode: 0,
      out: `dbdepot-server ${version}\n`,
      err: "",
    });
  });
});
