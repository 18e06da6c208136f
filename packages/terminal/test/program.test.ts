import { describe, expect, it } from "vitest";
import { coloursFor } from "../src/colours.ts";
import { examples, UsageError } from "../src/command.ts";
import type { Output } from "../src/output.ts";
import { type Program, runProgram } from "../src/program.ts";
import { integer } from "../src/values.ts";
import { displayWidth } from "../src/width.ts";

interface Kitchen extends AsyncDisposable {
  output: Output;
  unit: unknown;
}

const closed: string[] = [];
/** Clears the screen, sets the title, moves the cursor up, and rings, in 7-bit and 8-bit codes. */
const HOSTILE = "a\x1b[2J\x1b]0;title\x07\x1b[1Ab\x9b2Jc\x08\r";
const HARMLESS = "abc  ";

function hostileResult(output: Output) {
  output.info(`${HOSTILE}\n`);
  output.warn(HOSTILE);
  const cells = output.table(["A"], [[[HOSTILE]]], "none");
  return { json: { name: HOSTILE }, text: `${output.colours.red("FAILED")}  ${HOSTILE}\n${cells}` };
}

const PROGRAM: Program<Kitchen> = {
  name: "kettle",
  version: "1.2.3",
  description: "Boil water and make tea",
  build(program, run) {
    program.option("--unit <unit>", "Celsius or Kelvin");
    program
      .command("boil")
      .description("Boil water in as many cups as you like, until every one of them is as hot as you want it to be")
      .argument("<cup>")
      .argument("[more...]")
      .option("--degrees <n>", "target temperature", integer(0, 100), 100)
      .option("--gently", "heat slowly")
      .addHelpText("after", examples("kettle boil blue --degrees 80"))
      .action(
        run(async ({ output, unit }, cup, more, { degrees, gently }) => {
          output.info("boiling\n");
          if (cup === "hostile") return hostileResult(output);
          if (cup === "broken") throw new Error("the cup\nleaks");
          if (gently && degrees === 100) throw new UsageError("--gently needs less than 100 degrees");
          return { json: { cup, more, degrees, gently, unit }, text: "done\n", exitCode: degrees === 20 ? 1 : 0 };
        }),
      );
    const tea = program.command("tea").description("Make tea");
    tea
      .command("make")
      .description("Make tea")
      .requiredOption("--kind <kind>", "kind of tea")
      .action(run(async () => ({ json: 1, text: "1" })));
    program.command("secret", { hidden: true }).action(
      run(async ({ output }) => {
        output.warn("this is\nfor scripts");
        return undefined;
      }),
    );
  },
  openContext: ({ unit }, _, output) => ({
    output,
    unit,
    [Symbol.asyncDispose]: async () => void closed.push("closed"),
  }),
  explain: (error) => ({ lines: [(error as Error).message], exitCode: 7 }),
};

async function kettle(argv: string[], columns?: number) {
  const printed = { out: "", err: "" };
  const exitCode = await runProgram(PROGRAM, argv, {
    env: {},
    writeOut: (text) => {
      printed.out += text;
    },
    writeErr: (text) => {
      printed.err += text;
    },
    outColumns: columns,
    errColumns: columns,
  });
  return { exitCode, ...printed };
}

describe("a program", () => {
  it("passes a command its context, arguments and options, and closes the context", async () => {
    closed.length = 0;
    const { exitCode, out, err } = await kettle(["--unit", "Kelvin", "boil", "a", "b", "c", "--degrees=80", "--json"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toEqual({ cup: "a", more: ["b", "c"], degrees: 80, unit: "Kelvin" });
    expect(closed).toEqual(["closed"]);
  });

  it("accepts global options before, between and after the words of a command", async () => {
    for (const argv of [
      ["--json", "tea", "make", "--kind", "green"],
      ["tea", "--json", "make", "--kind", "green"],
      ["tea", "make", "--kind", "green", "--json"],
    ]) {
      expect(await kettle(argv)).toEqual({ exitCode: 0, out: "1\n", err: "" });
    }
  });

  it("prints messages to stderr and results to stdout", async () => {
    expect(await kettle(["boil", "a", "--degrees=20"])).toEqual({ exitCode: 1, out: "done\n", err: "boiling\n" });
  });

  it("prints warnings in one line, also with --json", async () => {
    expect((await kettle(["secret", "--json"])).err).toBe("kettle: warning: this is for scripts\n");
  });

  it("explains an error in one line and closes the context", async () => {
    closed.length = 0;
    expect(await kettle(["boil", "broken", "--json"])).toEqual({
      exitCode: 7,
      out: "",
      err: "kettle boil: the cup leaks\n",
    });
    expect(closed).toEqual(["closed"]);
  });

  it.each([
    [["boil"], "missing required argument 'cup'"],
    [["boil", "a", "--degrees"], "option '--degrees <n>' argument missing"],
    [["boil", "a", "--degrees", "-1"], "Must be a whole number from 0 to 100"],
    [["boil", "a", "--gentle"], "unknown option '--gentle' (Did you mean --gently?)"],
    [["boil", "a", "--gently", "--json"], "--gently needs less than 100 degrees"],
    [["tea", "make"], "required option '--kind <kind>' not specified"],
    [["tea", "make", "x", "--kind", "green"], "too many arguments"],
    [["tea", "mak"], "unknown command 'mak' (Did you mean make?)"],
    [["bol"], "unknown command 'bol' (Did you mean boil?)"],
  ])("reports wrong usage in one line and exits with 2: %j", async (argv, message) => {
    const { exitCode, out, err } = await kettle(argv);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    const [line = "", ...rest] = err
      .trimEnd()
      .split("\n")
      .filter((text) => text !== "boiling");
    expect(line).toContain(message);
    expect(line).toMatch(/^kettle[a-z ]*: .* Try "kettle.* --help"\.$/);
    expect(rest).toEqual([]);
  });

  it("prints help to stderr and exits with 2 if there is no command", async () => {
    for (const argv of [[], ["tea"]]) {
      const { exitCode, out, err } = await kettle(argv);
      expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
      expect(err).toMatch(/^Usage: kettle/);
    }
  });

  it("prints its version, and does not list hidden commands", async () => {
    expect(await kettle(["--version"])).toEqual({ exitCode: 0, out: "kettle 1.2.3\n", err: "" });
    expect((await kettle(["--help"])).out).not.toContain("secret");
    expect((await kettle(["secret"])).exitCode).toBe(0);
  });

  it.each([60, 80, 120])("wraps help to %i columns", async (columns) => {
    for (const argv of [["--help"], ["boil", "--help"], ["help", "boil"]]) {
      const { exitCode, out } = await kettle(argv, columns);
      expect(exitCode).toBe(0);
      expect(out.split("\n").every((line) => displayWidth(line) <= columns)).toBe(true);
      expect(out.replace(/\s+/g, " ")).toContain("until every one of them is as hot as you want it to be");
    }
  });

  it("shows defaults, required options, global options and examples in the help of a command", async () => {
    const { out } = await kettle(["boil", "--help"]);
    expect(out).toContain("target temperature (default: 100)");
    expect(out).toMatch(/Global Options:[\s\S]*--unit <unit>/);
    expect(out).toMatch(/\nExamples:\n {2}kettle boil blue --degrees 80\n$/);
    expect((await kettle(["tea", "make", "--help"])).out).toContain("kind of tea (required)");
  });
});

describe("colours", () => {
  it("are used on terminals unless NO_COLOR is set or the terminal is dumb", () => {
    expect(coloursFor(80, {}).red("x")).toBe("\x1b[31mx\x1b[0m");
    expect(coloursFor(undefined, {}).red("x")).toBe("x");
    expect(coloursFor(80, { NO_COLOR: "1" }).red("x")).toBe("x");
    expect(coloursFor(80, { NO_COLOR: "" }).red("x")).not.toBe("x");
    expect(coloursFor(80, { TERM: "dumb" }).red("x")).toBe("x");
  });
});

describe("text from a hostile service", () => {
  it("never controls the terminal, wherever it is printed", async () => {
    const { out, err } = await kettle(["boil", "hostile"], 80);
    expect(out).toBe(`\x1b[31mFAILED\x1b[0m  ${HARMLESS}\nA\nabc\n`);
    expect(err).toBe(`boiling\n${HARMLESS}\nkettle: warning: abc \n`);
  });

  it("is escaped in JSON", async () => {
    const { out } = await kettle(["boil", "hostile", "--json"], 80);
    expect(JSON.parse(out)).toEqual({ name: HOSTILE });
    expect(out).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
