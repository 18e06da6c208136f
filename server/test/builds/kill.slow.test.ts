import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../../src/builds/sweep.ts";
import { stages } from "../stages.ts";
import { Depot } from "./depot.ts";
import { made } from "./made.ts";

const KILLS = 50;
/** To start a publisher takes longer than to publish: so many get ready while another one is at work. */
const GETTING_READY = 2;
const ID = "killed_v1";
/** It is killed at some moment after one of these, so that all of them get their share. */
const STEPS = ["begun", "csvgz has arrived", "mmdb has arrived", "mmdb has arrived", "published"];
const STEP_MS = 100;
/** Below and above the size from which files are inspected on threads. */
const ROWS = [1000, 8000];

for (const stage of stages()) {
  describe(`a publisher killed on ${stage.name}`, () => {
    let depot: Depot;
    let cache: string;
    beforeAll(async () => {
      depot = await Depot.open(stage);
      cache = await mkdtemp(join(tmpdir(), "dbdepot-cache-"));
      await depot.addVersion(ID);
      await depot.publish(ID, made(ID));
    });
    afterAll(async () => {
      await depot.dispose();
      await rm(cache, { recursive: true, force: true });
    });

    it(`at ${KILLS} moments leaves a whole build served each time, and the next publication works`, async () => {
      const start = (i: number) => new Victim(depot, ROWS[i % ROWS.length] ?? 0, cache);
      const moments: Record<string, number> = {};
      const victims = Array.from({ length: GETTING_READY }, (_, i) => start(i));
      for (let i = 0; i < KILLS; i += 1) {
        victims.push(start(i + GETTING_READY));
        const moment = (await victims.shift()?.kill(STEPS[i % STEPS.length] ?? "", Math.random() * STEP_MS)) ?? "";
        moments[moment] = (moments[moment] ?? 0) + 1;
        await depot.expectServed(ID);
      }
      for (const victim of victims) await victim.end();
      if (process.env.DBDEPOT_TEST_VERBOSE) process.stderr.write(`${stage.name}: ${JSON.stringify(moments)}\n`);
      const { build } = await depot.publish(ID, made(ID, { mark: "after all" }), { force: true });
      expect((await depot.expectServed(ID)).id).toBe(build.id);
    });

    it("leaves nothing that the sweep does not find", async () => {
      depot.clock.advance("2 days");
      await sweep(depot.operation(), depot.objects, new Date(depot.clock.now().getTime() - 86_400_000));
      const kept = await depot.store.builds.list(ID);
      expect(kept.every(({ state }) => state === "published")).toBe(true);
      const named = kept.flatMap(({ files }) => [files.csvgz?.objectKey, files.mmdb?.objectKey]);
      expect(await depot.keys()).toEqual(named.sort());
      await depot.expectServed(ID);
    });
  });
}

/** A publisher that will not see the end of it. */
class Victim {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #words: AsyncIterator<string>;
  #last = "";
  #complaint = "";

  constructor(depot: Depot, rows: number, cache: string) {
    const argv = [join(import.meta.dirname, "publisher.ts"), JSON.stringify(depot.settings), ID, String(rows)];
    this.#process = spawn(process.execPath, argv, { env: { ...process.env, NODE_COMPILE_CACHE: cache } });
    this.#words = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint += text;
    });
  }

  /** Kills it so long after it said something, and gives the last thing that it said. */
  async kill(step: string, afterMs: number): Promise<string> {
    await this.#until("ready");
    this.#process.stdin.write("go\n");
    await this.#until(step);
    await delay(afterMs);
    await this.end();
    for (let word = await this.#words.next(); !word.done; word = await this.#words.next()) this.#last = word.value;
    return this.#last;
  }

  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "exit");
    if (!this.#isOvertaken()) expect(this.#complaint).toBe("");
  }

  /** Postgres may still commit what the one before had asked for when it was killed. */
  #isOvertaken(): boolean {
    return this.#complaint.includes("got another current build");
  }

  async #until(awaited: string): Promise<void> {
    for (;;) {
      const { value, done } = await this.#words.next();
      if (done && this.#isOvertaken()) return;
      if (done) throw new Error(`the publisher ended: ${this.#complaint}`);
      this.#last = value;
      if (value === awaited) return;
    }
  }
}
