import { describe, expect, it } from "vitest";
import { coloursFor } from "../src/colours.ts";
import { commandsWith } from "../src/command.ts";
import { type Program, runProgram } from "../src/program.ts";
import { widthOf } from "../src/width.ts";

interface Kitchen extends AsyncDisposable {
  say(line: string): void;
  unit: string;
}

const command = commandsWith<Kitchen>();
const closed: string[] = [];

const PROGRAM: Program<Kitchen> = {
  name: "kettle",
  version: "1.2.3",
  commands: [
    command({
      words: "boil",
      summary: "Boil water in as many cups as you like, until every one of them is as hot as you want it to be.",
      arguments: ["CUP", "[MORE…]"],
      options: { degrees: { value: "N", help: "How hot." }, gently: { help: "Take your time." } },
      notes: ["Exit codes: 0 hot, 1 cold."],
      async run({ say, unit }, [cup, more], { degrees = "100", gently }) {
        say("boiling\n");
        if (cup === "broken") throw new Error("the cup\nleaks");
        return { json: { cup, more, degrees, gently, unit }, text: "done\n", exitCode: degrees === "20" ? 1 : 0 };
      },
    }),
    command({
      words: "tea make",
      summary: "Make tea.",
      arguments: [],
      options: {},
      run: async () => ({ json: 1, text: "1" }),
    }),
    command({
      words: "secret",
      summary: "For scripts.",
      arguments: [],
      options: {},
      isHidden: true,
      run: async () => undefined,
    }),
  ],
  options: { unit: { value: "UNIT", help: "Celsius or Kelvin." } },
  note: "Water is found at the well.",
  open: ({ shared }, _, { say }) => ({
    say,
    unit: String(shared.unit),
    [Symbol.asyncDispose]: async () => void closed.push("closed"),
  }),
  explain: (error) => ({ lines: [(error as Error).message], exitCode: 7 }),
};

async function kettle(argv: string[], columns?: number) {
  const said = { out: "", err: "" };
  const exitCode = await runProgram(PROGRAM, argv, {
    environment: {},
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    outColumns: columns,
  });
  return { exitCode, ...said };
}

describe("a program", () => {
  it("gives a command its arguments, its options and what it works with, and closes that", async () => {
    const { exitCode, out, err } = await kettle(["--unit", "Kelvin", "boil", "a", "b", "c", "--gently", "--json"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toEqual({ cup: "a", more: ["b", "c"], degrees: "100", gently: true, unit: "Kelvin" });
    expect(closed).toEqual(["closed"]);
  });

  it("speaks to people on stderr, and answers on stdout", async () => {
    expect(await kettle(["boil", "a", "--degrees=20"])).toEqual({ exitCode: 1, out: "done\n", err: "boiling\n" });
  });

  it("explains an error in one line, and closes then too", async () => {
    closed.length = 0;
    expect(await kettle(["boil", "broken", "--json"])).toEqual({
      exitCode: 7,
      out: "",
      err: "kettle boil: the cup leaks\n",
    });
    expect(closed).toEqual(["closed"]);
  });

  it.each([
    [["boil"], "CUP is missing"],
    [["tea", "make", "x"], '"x" is one argument too many'],
    [["boil", "a", "--degrees"], "--degrees"],
    [["boil", "a", "--hot"], "--hot"],
  ])("tells wrong usage: %j", async (argv, says) => {
    const { exitCode, out, err } = await kettle(argv);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(says);
    expect(err).toMatch(/Try: kettle .* --help\n$/);
  });

  it("knows its version, and does not list what is not for people", async () => {
    expect((await kettle(["--version"])).out).toBe("kettle 1.2.3\n");
    expect((await kettle(["--help"])).out).not.toContain("secret");
    expect((await kettle(["secret"])).exitCode).toBe(0);
  });

  it.each([40, 60, 80, 120])("has help that fits %i columns", async (columns) => {
    for (const argv of [["--help"], ["boil", "--help"]]) {
      const { out } = await kettle(argv, columns);
      expect(out.split("\n").every((line) => widthOf(line) <= columns)).toBe(true);
      expect(out.replace(/\s+/g, " ")).toContain("until every one of them is as hot as you want it to be.");
    }
    expect((await kettle(["boil", "--help"], columns)).out).toContain("Exit codes: 0 hot, 1 cold.");
  });
});

describe("colours", () => {
  it("are for screens, unless somebody wants none", () => {
    expect(coloursFor(80, {}).bad("x")).toBe("\x1b[31mx\x1b[0m");
    expect(coloursFor(undefined, {}).bad("x")).toBe("x");
    expect(coloursFor(80, { NO_COLOR: "1" }).bad("x")).toBe("x");
    expect(coloursFor(80, { NO_COLOR: "" }).bad("x")).not.toBe("x");
    expect(coloursFor(80, { TERM: "dumb" }).bad("x")).toBe("x");
  });
});
