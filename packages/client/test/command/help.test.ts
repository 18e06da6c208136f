import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Shell } from "./shell.ts";
import { COMMANDS, PROGRAM, wordsOf } from "./tree.ts";

/** Help must not need valid settings. */
const WRONG = { DBDEPOT_CLIENT_URL: "nonsense", DBDEPOT_CLIENT_KEY: "" };

describe("dbdepot --help", () => {
  let shell: Shell;
  beforeAll(async () => {
    shell = await Shell.open();
  });
  afterAll(() => shell.dispose());

  it.each(COMMANDS.map(wordsOf))("describes %s on terminals of any width", async (words) => {
    for (const columns of [undefined, 120, 80]) {
      const { exitCode, out, err } = await shell.runWith({ ...WRONG, columns }, ...words.split(" "), "--help");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      expect(out).toMatch(new RegExp(`^Usage: dbdepot ${words}`));
      const longest = Math.max(...out.split("\n").map((line) => line.length));
      expect(longest).toBeLessThanOrEqual(columns ?? 80);
      for (const name of ["--json", "--config", "--url", "--key", "--help"]) expect(out).toContain(name);
    }
  });

  it("follows one style: summaries without a period, options in lower case", () => {
    for (const command of COMMANDS) {
      expect(command.description()).toMatch(/^[A-Z].*[^.]$/);
      for (const { description } of command.options) expect(description).toMatch(/^[a-z].*[^.]$/);
    }
  });

  it("lists every command", async () => {
    for (const argv of [["--help"], ["-h"], ["help"]]) {
      const { exitCode, out } = await shell.runWith(WRONG, ...argv);
      expect(exitCode).toBe(0);
      for (const { name } of PROGRAM.commands.map((command) => ({ name: command.name() }))) {
        if (name !== "completion-ids") expect(out).toMatch(new RegExp(`^  ${name}\\b`, "m"));
      }
      expect(out).not.toContain("completion-ids");
    }
    expect((await shell.run("--version")).out).toMatch(/^dbdepot \d+\.\d+\.\d+\n$/);
  });

  it("goes to stderr with exit code 2 if no command is given", async () => {
    for (const argv of [[], ["keys"]]) {
      const { exitCode, out, err } = await shell.run(...argv);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain("Usage: dbdepot");
    }
  });

  it("suggests the command that was meant", async () => {
    expect(await shell.run("downlod", "vpn_ip_v1")).toEqual({
      exitCode: 2,
      out: "",
      err: `dbdepot: unknown command 'downlod' (Did you mean download?). Try "dbdepot --help".\n`,
    });
    expect((await shell.run("keys", "rotat")).err).toContain("(Did you mean rotate?)");
  });
});
