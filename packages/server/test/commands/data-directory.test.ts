import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { finished, SOURCE, startChild } from "./child.ts";
import { runCommand } from "./terminal.ts";

const ONE_LINE = /^dbdepot-server [a-z ]+: [^\n]+\n$/;

describe("a data directory that cannot be created", () => {
  let folder: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    await writeFile(join(folder, "file"), "not a directory");
    environment = {
      DBDEPOT_DATA_DIR: join(folder, "file/data"),
      DBDEPOT_PORT: "0",
      DBDEPOT_OBJECTS_PORT: "0",
      DBDEPOT_METRICS_PORT: "off",
    };
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ["families list"],
    ["orgs add Acme"],
    ["migrate"],
    ["serve"],
    ["demo"],
    ["builds sweep"],
    ["families list --json"],
  ])("is reported by %s in one line that names the setting", async (line) => {
    const { exitCode, out, err } = await runCommand(line.split(" "), environment);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(ONE_LINE);
    expect(err).toContain(`cannot create the directory ${folder}/file/data (ENOTDIR): set DBDEPOT_DATA_DIR`);
  });

  it.each([
    [{ DBDEPOT_DATA_DIR: "/proc/dbdepot/data" }, "cannot create the directory /proc/dbdepot/data (ENOENT)"],
    [{ DBDEPOT_OBJECTS_URL: "file:/proc/dbdepot" }, "/proc/dbdepot: no such file or directory"],
  ])(
    "is reported below /proc, where a recursive mkdir never returns: %j",
    needs("Linux"),
    async (settings, message) => {
      const child = startChild(
        ["builds", "sweep"],
        { DBDEPOT_DATA_DIR: folder, ...settings },
        { timeout: 20_000, killSignal: "SIGKILL" },
      );
      const { exitCode, err } = await finished(child);
      expect(exitCode).toBe(1);
      expect(err).toMatch(ONE_LINE);
      expect(err).toContain(message);
    },
  );

  it("is reported by serve with several processes", async () => {
    const { exitCode, err } = await runCommand(["serve"], { ...environment, DBDEPOT_WORKERS: "2" });
    expect(exitCode).toBe(1);
    expect(err).toMatch(ONE_LINE);
  });

  it("is reported as a finding by doctor, which does not crash", async () => {
    const { exitCode, out, err } = await runCommand(["doctor"], environment);
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: "" });
    expect(out).toMatch(/^FAIL {2}data directory: cannot create the directory .*: set DBDEPOT_DATA_DIR to one that/m);
    expect(
      out
        .trimEnd()
        .split("\n")
        .every((line) => /^(ok {2}|FAIL) {2}/.test(line)),
    ).toBe(true);
  });

  it("is reported if it would contain only the database", async () => {
    const settings = { DBDEPOT_DATA_DIR: folder, DBDEPOT_DATABASE_URL: `sqlite:${folder}/file/x/db.sqlite` };
    const { exitCode, err } = await runCommand(["families", "list"], settings);
    expect(exitCode).toBe(1);
    expect(err).toContain("(ENOTDIR): set DBDEPOT_DATABASE_URL");
  });

  it("is also reported if it exists but is not writable", async () => {
    await mkdir(join(folder, "locked"), { mode: 0o555 });
    await chmod(folder, 0o755);
    const settings = { DBDEPOT_DATA_DIR: join(folder, "locked") };
    // Root can write everywhere, so the process becomes another user, who may not be able to read the program.
    const script = `const { main } = await import(${JSON.stringify(pathToFileURL(SOURCE).href)});
      if (process.getuid() === 0) process.setuid(65534);
      const { env, stdout, stderr } = process;
      process.exitCode = await main(["families", "list"], {
        env, writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text),
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { env: settings });
    const { exitCode, out, err } = await finished(child);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toMatch(ONE_LINE);
    expect(err).toContain("locked is not writable (EACCES): change its permissions, or set DBDEPOT_DATA_DIR");
  });
});
