import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/commands/all.ts";
import { answerTo } from "./terminal.ts";

/** Help needs no settings at all. */
const WRONG = { DBDEPOT_DATABASE_URL: "nonsense" };

describe("help", () => {
  it.each(COMMANDS.map((command) => [command.words, command] as const))("of %s", async (words, command) => {
    for (const flag of ["--help", "-h"]) {
      const { exitCode, out, err } = await answerTo([...words.split(" "), flag], WRONG);
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      expect(out).toMatch(new RegExp(`^Usage: dbdepot-server ${words}`));
      expect(out).toContain(command.summary);
      for (const [name, { help, required }] of Object.entries(command.options)) {
        expect(out).toMatch(new RegExp(`--${name}\\b.*${escaped(help)}${required ? " \\(required\\)" : ""}$`, "m"));
      }
      for (const name of ["--json", "--env-file FILE", "--help"]) expect(out).toContain(name);
    }
  });

  it.each([[["--help"]], [["-h"]], [["help"]]])("of everything, by %j", async (argv) => {
    const { exitCode, out, err } = await answerTo(argv, WRONG);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    for (const { words, summary } of COMMANDS)
      expect(out).toMatch(new RegExp(`^  ${words}\\b.*${escaped(summary)}$`, "m"));
  });

  it("of one noun's commands", async () => {
    const { exitCode, out } = await answerTo(["keys", "--help"], WRONG);
    expect(exitCode).toBe(0);
    expect(out).toContain("keys rotate");
    expect(out).not.toContain("orgs add");
  });

  it("finds the command behind and between the options that all commands have", async () => {
    for (const argv of [
      ["--json", "keys", "create", "--help"],
      ["keys", "--env-file", "orgs", "create", "-h"],
    ]) {
      expect((await answerTo(argv, WRONG)).out).toMatch(/^Usage: dbdepot-server keys create/);
    }
  });

  it("is what wrong usage gets, on stderr", async () => {
    for (const argv of [[], ["nothing"], ["--nothing"]]) {
      const { exitCode, out, err } = await answerTo(argv, WRONG);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain("Usage: dbdepot-server");
    }
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
