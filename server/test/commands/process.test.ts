import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { engines } from "../engines.ts";
import { type Answer, terminalOn } from "./terminal.ts";

const COMMAND = join(import.meta.dirname, "../../bin/dbdepot-server.js");
/** The oldest that the customers' library is for. */
const NODE_20 = join(import.meta.dirname, "../../../client/node_modules/.bin/node");

async function run(
  argv: string[],
  environment: Record<string, string>,
  command: [string, ...string[]] = [process.execPath, COMMAND],
): Promise<Answer> {
  const [program, ...args] = command;
  const child = spawn(program, [...args, ...argv], { env: environment });
  const [out, err, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { exitCode, out, err };
}

describe("dbdepot-server as a process of its own", () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error("there is no first engine");
  const terminal = terminalOn(sqlite);

  it("prints one document to stdout and nothing to stderr, and ends", async () => {
    const { exitCode, out, err } = await run(["orgs", "add", "Acme", "--json"], terminal.environment);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({ name: "Acme" });
    expect(await terminal.json("orgs", "list")).toEqual([JSON.parse(out)]);
  });

  it("prints a refusal to stderr and ends with 1", async () => {
    const { exitCode, out, err } = await run(["orgs", "add", "Acme"], terminal.environment);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toBe('dbdepot-server orgs add: an organization named "Acme" exists already\n');
  });

  it("ends with 2 on wrong usage", async () => {
    const { exitCode, out } = await run(["orgs", "add"], terminal.environment);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  });

  it("has help", async () => {
    const { exitCode, out } = await run(["--help"], {});
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Usage: dbdepot-server/);
  });

  it("says so when Node.js is too old, with the flags of its first line too", async () => {
    const { exitCode, out, err } = await run(["--help"], {}, [NODE_20, COMMAND]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(/^dbdepot-server needs Node\.js 24 or newer and this is 20\.\d+\.\d+: [^\n]+\n$/);
    expect(await run(["--help"], { PATH: `${dirname(NODE_20)}:/usr/bin:/bin` }, [COMMAND])).toMatchObject({
      exitCode,
      err,
    });
  });

  it("has a first line that older systems read to its end", async () => {
    const [firstLine = ""] = (await readFile(COMMAND, "utf8")).split("\n");
    expect(firstLine).toMatch(/^#!/);
    // Linux before 5.1.
    expect(firstLine.length).toBeLessThanOrEqual(127);
  });
});
