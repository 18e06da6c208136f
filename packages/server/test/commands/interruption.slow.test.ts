import { execFileSync } from "node:child_process";
import { mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engineNamed } from "../../../../rigs/harness/service/engines.ts";
import { sampleBuild } from "../domain/builds/sample-build.ts";
import { finished, startChild } from "./child.ts";
import { terminalOn } from "./terminal.ts";

const ID = "vpn_ip_v1";

describe("an interrupted command", () => {
  const terminal = terminalOn(engineNamed("sqlite"));
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Starts the command, feeds it through a pipe that never ends, and interrupts it. */
  async function interrupt(argv: string[], pipe: string, chunk: Buffer, signal: NodeJS.Signals) {
    execFileSync("mkfifo", [pipe]);
    const child = startChild(argv, terminal.environment);
    const exited = finished(child);
    // Resolves when the command opens the pipe.
    const handle = await open(pipe, "w");
    let isOver = false;
    const feeding = (async () => {
      while (!isOver) {
        await handle.write(chunk).catch(() => {});
        await delay(5);
      }
    })();
    child.kill(signal);
    const result = await exited;
    isOver = true;
    await feeding;
    await handle.close();
    return result;
  }

  it("discards the staged build and its files if it is builds publish", async () => {
    await terminal.json("families", "add", "vpn_ip", "--name", "VPN IP");
    await terminal.json("versions", "add", ID, "--summary", "x", "--formats", "csvgz,mmdb");
    const { document, files } = sampleBuild(ID);
    const [metadata, csvgz, mmdb] = ["metadata", "csvgz", "mmdb"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await writeFile(metadata, document);
    await writeFile(csvgz, files.csvgz as Buffer);
    const argv = ["builds", "publish", ID, "--metadata", metadata, "--csvgz", csvgz, "--mmdb", mmdb];
    expect(await interrupt(argv, mmdb, Buffer.alloc(65_536), "SIGINT")).toEqual({
      exitCode: 130,
      out: "",
      err: "dbdepot-server builds publish: interrupted: nothing was published\n",
    });
    expect(await terminal.json("builds", "list", ID)).toEqual([]);
    const objects = join(terminal.environment.DBDEPOT_DATA_DIR ?? "", "objects");
    const stored = await readdir(objects, { recursive: true, withFileTypes: true });
    expect(stored.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("removes part files if it is export (%s)", async (signal, exitCode) => {
    const [csv, out] = [join(folder, "rows.csv"), join(folder, "out")];
    const argv = ["export", csv, "--id", ID, "--out", out];
    expect(await interrupt(argv, csv, Buffer.from("network\n"), signal)).toEqual({
      exitCode,
      out: "",
      err: "dbdepot-server export: interrupted: no files were written\n",
    });
    expect(await readdir(out)).toEqual([]);
  });
});
