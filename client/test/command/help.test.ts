import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DBDEPOT } from "../../src/command/program.ts";
import { Desk } from "./desk.ts";

/** Help needs no settings at all. */
const WRONG = { DBDEPOT_URL: "nonsense", DBDEPOT_API_KEY: "" };

describe("help", () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await Desk.open();
  });
  afterAll(() => desk.dispose());

  it.each(DBDEPOT.commands.map(({ words }) => words))("of %s, on screens of any width", async (words) => {
    for (const columns of [undefined, 80, 40]) {
      const { exitCode, out, err } = await desk.runWith({ ...WRONG, columns }, ...words.split(" "), "--help");
      expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
      expect(out).toMatch(new RegExp(`^Usage: dbdepot ${words}`));
      const longest = Math.max(...out.split("\n").map((line) => line.length));
      if (columns !== undefined) expect(longest).toBeLessThanOrEqual(columns);
      for (const name of ["--json", "--config", "--url", "--key", "--help"]) expect(out).toContain(name);
    }
  });

  it("of everything, by any of the usual ways", async () => {
    for (const argv of [["--help"], ["-h"], ["help"]]) {
      const { exitCode, out } = await desk.runWith(WRONG, ...argv);
      expect(exitCode).toBe(0);
      for (const { words, isHidden } of DBDEPOT.commands) {
        if (!isHidden) expect(out).toMatch(new RegExp(`^  ${words}\\b`, "m"));
      }
    }
    expect((await desk.run("--version")).out).toMatch(/^dbdepot \d+\.\d+\.\d+\n$/);
  });

  it("is what wrong usage gets, on stderr", async () => {
    for (const argv of [[], ["nothing"], ["keys"], ["keys", "nothing"]]) {
      const { exitCode, out, err } = await desk.run(...argv);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toContain("Usage: dbdepot");
    }
  });
});
