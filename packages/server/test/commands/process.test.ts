import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { skipUnless } from "../../../../rigs/harness/needs.ts";
import { engines } from "../../../../rigs/harness/service/engines.ts";
import { VERSION } from "../../src/platform/version.ts";
import { BUILT_COMMAND, finished, SOURCE } from "./child.ts";
import { type CommandResult, terminalOn } from "./terminal.ts";

const oldNode = findOldNode();

function findOldNode(): string | undefined {
  const candidates = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, "node"));
  return candidates.find((path) => {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    const major = Number(/^v(\d+)\./.exec(stdout ?? "")?.[1]);
    return major >= 20 && major < 24;
  });
}

async function run(
  argv: string[],
  environment: Record<string, string>,
  command: [string, ...string[]] = [process.execPath, BUILT_COMMAND],
): Promise<CommandResult> {
  const [program, ...args] = command;
  return finished(spawn(program, [...args, ...argv], { env: environment }));
}

describe("dbdepot-server in its own process", () => {
  const [sqlite] = engines;
  if (!sqlite) throw new Error("no database engine is available");
  const terminal = terminalOn(sqlite);

  it("explains that the file of --env-file is missing, instead of Node.js", async () => {
    // Starts it as a shell does, with this Node.js on the PATH.
    const environment = {
      ...terminal.environment,
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    };
    const { exitCode, err } = await run(["--env-file", "typo", "orgs", "list"], environment, [BUILT_COMMAND]);
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: "dbdepot-server orgs list: --env-file: cannot read typo: there is no such file\n",
    });
  });

  it("exits without an error message if its output is not read", async () => {
    const child = spawn(process.execPath, [BUILT_COMMAND, "--help"], { env: terminal.environment });
    child.stdout.destroy();
    const [err, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: "" });
  });

  it("prints one document to stdout and nothing to stderr, and exits", async () => {
    const { exitCode, out, err } = await run(["orgs", "add", "Acme", "--json"], terminal.environment);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({ name: "Acme" });
    expect(await terminal.json("orgs", "list")).toMatchObject([JSON.parse(out)]);
  });

  it("prints a refusal to stderr and exits with 1", async () => {
    const { exitCode, out, err } = await run(["orgs", "add", "Acme"], terminal.environment);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toBe('dbdepot-server orgs add: an organization named "Acme" already exists\n');
  });

  it("exits with 2 on wrong usage", async () => {
    const { exitCode, out } = await run(["orgs", "add"], terminal.environment);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
  });

  it.each([
    ["serve", "1"],
    ["serve --json", "2"],
  ])("prints only log lines with %s and %s workers, one of which has the addresses", async (command, workers) => {
    const ports = { DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0", DBDEPOT_WORKERS: workers };
    const server = spawn(process.execPath, [BUILT_COMMAND, ...command.split(" ")], {
      env: { ...terminal.environment, ...ports },
    });
    const lines: { level: string; msg: string; signal?: string; api_url?: string }[] = [];
    try {
      for await (const line of createInterface(server.stdout)) {
        lines.push(JSON.parse(line));
        if (lines.at(-1)?.api_url) server.kill();
      }
    } finally {
      server.kill();
    }
    expect(lines.every(({ level }) => level === "info")).toBe(true);
    expect(lines[0]).toMatchObject({ msg: "starting", version: VERSION });
    expect(lines.filter(({ api_url }) => api_url?.startsWith("http://127.0.0.1:"))).toHaveLength(1);
    // Also says that it was asked to stop, and that everything is written.
    expect(lines.filter(({ msg }) => msg === "stopping")).toMatchObject([{ signal: "SIGTERM" }]);
    expect(lines.at(-1)).toMatchObject({ msg: "stopped" });
  });

  it.each(["1", "2"])("says first that it serves a copy, with %s workers", async (workers) => {
    await run(["orgs", "list"], terminal.environment);
    await terminal.opened.query("insert into copies (id, copied) values (1, '2026-11-18T08:00:00.000Z') returning id");
    const ports = { DBDEPOT_PORT: "0", DBDEPOT_OBJECTS_PORT: "0", DBDEPOT_WORKERS: workers };
    const server = spawn(process.execPath, [BUILT_COMMAND, "serve"], { env: { ...terminal.environment, ...ports } });
    const said = text(server.stderr);
    const messages: string[] = [];
    try {
      for await (const line of createInterface(server.stdout)) {
        const { msg, api_url } = JSON.parse(line);
        messages.push(msg);
        if (api_url) server.kill();
      }
    } finally {
      server.kill();
    }
    expect(messages).toContain('serving, but this is a copy, which sends nothing until "dbdepot-server activate"');
    expect(await said).toMatch(
      /^This is a copy from 2026-11-18 .*\. It sends no webhooks or e-mail until "dbdepot-server activate"\.\n/,
    );
    await terminal.opened.query("delete from copies returning id");
  });

  it("prints help", async () => {
    const { exitCode, out } = await run(["--help"], {});
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Usage: dbdepot-server/);
  });

  it("refuses to run on an old version of Node.js", skipUnless(oldNode !== undefined, "an old Node.js"), async () => {
    const { exitCode, out, err } = await run(["--help"], {}, [oldNode ?? "", BUILT_COMMAND]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(/^dbdepot-server needs Node\.js 24 or newer, but this is \d+\.\d+\.\d+\. [^\n]+\n$/);
  });

  it("says how to build it if it is not built", async () => {
    const folder = await mkdtemp(join(tmpdir(), "dbdepot-unbuilt-"));
    await mkdir(join(folder, "bin"));
    await copyFile(BUILT_COMMAND, join(folder, "bin/dbdepot-server.mjs"));
    const answer = await run(["--help"], {}, [process.execPath, join(folder, "bin/dbdepot-server.mjs")]);
    expect(answer).toEqual({
      exitCode: 1,
      out: "",
      err: 'dbdepot-server is not built yet: run "npm run build".\n',
    });
    await rm(folder, { recursive: true });
  });

  it("runs from source", async () => {
    const { exitCode, out } = await run(["--help"], {}, [process.execPath, SOURCE]);
    expect({ exitCode, usage: out.split("\n")[0] }).toEqual({
      exitCode: 0,
      usage: expect.stringContaining("Usage: dbdepot-server"),
    });
  });
});
