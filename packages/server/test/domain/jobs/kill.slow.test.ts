import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";

const PROCESSES = 3;
const JOBS = 12;

for (const engine of engines) {
  describe(`Jobs of several processes on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("are all done, one at a time, although a process is killed in the middle of one", async () => {
      const { store, address } = opened;
      const now = new Date();
      const names = Array.from({ length: JOBS }, (_, index) => `some_v${index + 1}`);
      for (const versionId of names) await enqueue(store, "make_patches", { versionId, buildId: "build" }, now);

      const lines: string[] = [];
      let killed: string | undefined;
      const start = () => {
        const argv = [join(import.meta.dirname, "runners.ts"), JSON.stringify(address), String(now.getTime())];
        const child = spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "inherit"] });
        onTestFinished(() => end(child));
        createInterface(child.stdout).on("line", (line) => {
          if (lines.push(line) > JOBS && killed === undefined && line.startsWith("begin")) {
            killed = line.slice("begin ".length);
            child.kill("SIGKILL");
          }
        });
      };
      for (let index = 0; index < PROCESSES; index += 1) start();

      await expect.poll(async () => (await store.jobs.page({}, {}, now)).items, { timeout: 60_000 }).toEqual([]);
      const ended = lines.filter((line) => line.startsWith("end"));
      expect(ended.toSorted()).toEqual(names.map((name) => `end ${name}`).toSorted());
      expect(killed).toBeDefined();
      expect(lines.filter((line) => line === `begin ${killed}`)).toHaveLength(2);
      // Each line but that of the killed process is followed by its end: no two jobs ran at once.
      const withoutKilled = lines.toSpliced(lines.indexOf(`begin ${killed}`), 1);
      for (let index = 0; index < withoutKilled.length; index += 2) {
        expect(withoutKilled[index + 1]).toBe(withoutKilled[index]?.replace("begin", "end"));
      }
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
