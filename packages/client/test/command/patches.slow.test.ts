import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { programEnvironment } from "../../../../rigs/harness/program-environment.ts";
import { patchKeyOf } from "../../../server/src/domain/patches/patch.ts";
import { type ExportedBuild, makePatches, publishDay } from "./exported-builds.ts";
import { Shell } from "./shell.ts";

const KILLS = 15;
/** How long it takes at most to make the patches, and to download and apply one, on a slow machine. */
const MAKE_MS = 3000;
const DOWNLOAD_MS = 800;
const MMDB = "vpn_ip_v1.mmdb";
const SERVER = join(import.meta.dirname, "../../../server/src/main.ts");
/** Larger than a patch, smaller than its result, in blocks of 512 bytes. */
const LIMIT_BLOCKS = 100;

describe("Patches and processes that are killed", () => {
  let shell: Shell;
  let first: ExportedBuild;
  let second: ExportedBuild;
  beforeAll(async () => {
    shell = await Shell.open();
    first = await publishDay(shell.test, 1);
    second = await publishDay(shell.test, 2);
  });
  afterAll(() => shell.dispose());

  /** Runs a command of the server in a process of its own, on the same database and storage. */
  function server(...argv: string[]) {
    const env = { ...programEnvironment(), ...shell.test.stage.environment };
    return spawn(process.execPath, [SERVER, ...argv], { env, stdio: "ignore" });
  }

  it("leaves nothing behind when `patches make` is killed, and the next run makes what is missing", async () => {
    const { store, objects } = shell.test.service.services;
    for (let i = 0; i < KILLS / 3; i += 1) {
      const child = server("patches", "make", "vpn_ip_v1", "--all");
      await delay(Math.random() * MAKE_MS);
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    const [exitCode] = await once(server("patches", "make", "vpn_ip_v1", "--all"), "exit");
    expect(exitCode).toBe(0);
    const patches = await store.patches.ofBuilds([second.build.id]);
    expect(patches.map(({ format, baseBuildId, reason }) => [format, baseBuildId, reason])).toEqual([
      ["csvgz", first.build.id, null],
      ["mmdb", first.build.id, null],
      ["mmdb", null, null],
    ]);
    const stored = (await Array.fromAsync(objects.list("vpn_ip_v1/"))).map(({ key }) => key);
    expect(stored.filter((key) => key.endsWith(".patch")).sort()).toEqual(patches.map(patchKeyOf).sort());
    expect(await readdir(join(shell.test.dataDir, "patches"))).toEqual([]);
    await shell.test.operator.settle();
  });

  it(`leaves the complete old or new file when sync is killed, ${KILLS} times`, async () => {
    await makePatches(shell.test);
    await shell.json(0, "sync", "vpn_ip_v1");
    const path = shell.database(MMDB);
    let updated = 0;
    for (let i = 0; i < KILLS; i += 1) {
      await writeFile(path, first.files.mmdb);
      const child = shell.spawn(["sync", "vpn_ip_v1", "--verbose"]);
      // It starts to download after this line.
      for await (const line of createInterface(child.stderr)) if (line.includes("downloading build")) break;
      await delay(Math.random() * DOWNLOAD_MS);
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      const found = await readFile(path);
      expect(found.equals(first.files.mmdb) || found.equals(second.files.mmdb)).toBe(true);
      if (found.equals(second.files.mmdb)) updated += 1;
    }
    expect(updated).toBeGreaterThan(0);
    await writeFile(path, first.files.mmdb);
    expect((await shell.json(0, "sync", "vpn_ip_v1")).files).toMatchObject([{ method: "patch" }]);
    expect((await readFile(path)).equals(second.files.mmdb)).toBe(true);
    expect(await shell.namesAfterKills()).toEqual([MMDB]);
  });

  it("leaves the old file and no others on a full disk", async () => {
    const path = shell.database(MMDB);
    await writeFile(path, first.files.mmdb);
    await rm(shell.database(".dbdepot-status.json"));
    const limited = `ulimit -f ${LIMIT_BLOCKS}; exec "$0" "$@"`;
    const env = { ...programEnvironment(), ...shell.environment };
    const main = join(import.meta.dirname, "../../src/command/main.ts");
    const argv = [process.execPath, main, "sync", "vpn_ip_v1"];
    const [exitCode] = await once(spawn("sh", ["-c", limited, ...argv], { env, stdio: "ignore" }), "exit");
    expect(exitCode).not.toBe(0);
    expect((await readFile(path)).equals(first.files.mmdb)).toBe(true);
    expect(await shell.namesAfterKills()).toEqual([MMDB]);
    const { failures, patch_failures: patchFailures } = await shell.status();
    expect(failures[MMDB]).toMatchObject({ kind: "disk" });
    expect(patchFailures[MMDB]).toMatchObject({ count: 1 });
  });
});
