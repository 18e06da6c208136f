import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { sweep } from "../../../src/domain/retention/leftovers.ts";
import { Depot } from "./depot.ts";
import { sampleBuild } from "./sample-build.ts";

const KILLS = 50;
/** Starting a publisher takes longer than publishing, so this many start in advance. */
const STARTING = 2;
const ID = "killed_v1";
/** The publisher is killed shortly after one of these steps. */
const STEPS = ["started", "csvgz read", "mmdb read", "mmdb read", "published"];
const MAX_DELAY_MS = 100;
/** The numbers are below and above the size from which files are inspected on threads. */
const ROWS = [1000, 8000];

for (const stage of stages()) {
  describe(`a killed publisher on ${stage.name}`, () => {
    let depot: Depot;
    let cache: string;
    beforeAll(async () => {
      depot = await Depot.open(stage);
      cache = await mkdtemp(join(tmpdir(), "dbdepot-cache-"));
      await depot.addVersion(ID);
      await depot.publish(ID, sampleBuild(ID));
    });
    afterAll(async () => {
      await depot.dispose();
      await rm(cache, { recursive: true, force: true });
    });

    it(`leaves a complete build after each of ${KILLS} kills, and the next publish works`, async () => {
      const start = (i: number) => new Publisher(depot, ROWS[i % ROWS.length] ?? 0, cache);
      const lastSteps: Record<string, number> = {};
      const publishers = Array.from({ length: STARTING }, (_, i) => start(i));
      for (let i = 0; i < KILLS; i += 1) {
        publishers.push(start(i + STARTING));
        const lastStep =
          (await publishers.shift()?.killAfter(STEPS[i % STEPS.length] ?? "", Math.random() * MAX_DELAY_MS)) ?? "";
        lastSteps[lastStep] = (lastSteps[lastStep] ?? 0) + 1;
        await depot.expectServed(ID);
      }
      for (const publisher of publishers) await publisher.kill();
      if (process.env.DBDEPOT_TEST_VERBOSE) process.stderr.write(`${stage.name}: ${JSON.stringify(lastSteps)}\n`);
      const { build } = await depot.publish(ID, sampleBuild(ID, { mark: "after all" }), { force: true });
      expect((await depot.expectServed(ID)).id).toBe(build.id);
    });

    it("leaves nothing that the sweep does not delete", async () => {
      depot.clock.advance("2 days");
      await sweep(depot.operation(), depot.objects, new Date(depot.clock.now().getTime() - 86_400_000));
      const kept = await depot.store.builds.list(ID);
      expect(kept.every(({ state }) => state === "published")).toBe(true);
      const keys = kept.flatMap(({ files }) => [files.csvgz?.objectKey, files.mmdb?.objectKey]);
      expect(await depot.keys()).toEqual(keys.sort());
      await depot.expectServed(ID);
    });
  });
}

/** A publisher in its own process. */
class Publisher {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #steps: AsyncIterator<string>;
  #last = "";
  #errors = "";

  constructor(depot: Depot, rows: number, cache: string) {
    const argv = [join(import.meta.dirname, "publisher.ts"), JSON.stringify(depot.settings), ID, String(rows)];
    this.#process = spawn(process.execPath, argv, { env: { ...process.env, NODE_COMPILE_CACHE: cache } });
    this.#steps = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#errors += text;
    });
  }

  /** Kills the process some time after a step and returns the last step that it reported. */
  async killAfter(step: string, delayMs: number): Promise<string> {
    await this.#until("ready");
    this.#process.stdin.write("go\n");
    await this.#until(step);
    await delay(delayMs);
    await this.kill();
    for (let next = await this.#steps.next(); !next.done; next = await this.#steps.next()) this.#last = next.value;
    return this.#last;
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "exit");
    if (!this.#isOvertaken()) expect(this.#errors).toBe("");
  }

  /** PostgreSQL may still commit the last transaction of the previous publisher after it was killed. */
  #isOvertaken(): boolean {
    return this.#errors.includes("now has the current build");
  }

  async #until(step: string): Promise<void> {
    for (;;) {
      const { value, done } = await this.#steps.next();
      if (done && this.#isOvertaken()) return;
      if (done) throw new Error(`the publisher exited: ${this.#errors}`);
      this.#last = value;
      if (value === step) return;
    }
  }
}
