import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isInstalled } from "../../../../rigs/harness/tools.ts";

const unit = readFileSync(join(import.meta.dirname, "../../../../deploy/systemd/dbdepot.service"), "utf8");

describe.runIf(isInstalled("systemd-analyze"))("deploy/systemd/dbdepot.service", () => {
  const directory = mkdtempSync(join(tmpdir(), "dbdepot-systemd-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  /** Runs systemd-analyze on the unit with an executable that exists on this machine. */
  function analyze(command: string, ...options: string[]) {
    const path = join(directory, "dbdepot.service");
    writeFileSync(path, unit.replace("/usr/local/bin/dbdepot-server", process.execPath));
    const { status, stderr } = spawnSync("systemd-analyze", [command, ...options, path], { encoding: "utf8" });
    return { status, stderr };
  }

  it("passes systemd-analyze verify without a warning", () => {
    expect(analyze("verify", "--man=no")).toEqual({ status: 0, stderr: "" });
  });

  it("has an exposure level below 2.0", () => {
    expect(analyze("security", "--offline=true", "--threshold=20")).toMatchObject({ status: 0 });
  });

  it("disables core dumps, which would contain keys", () => {
    expect(unit).toMatch(/^LimitCORE=0$/m);
  });

  it("gives running responses more time to finish than the server takes by default", () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    expect(seconds).toBeGreaterThan(30);
  });
});
