import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { build as bundle } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";
import { FaultyFront } from "./faults.ts";

const KILLS = 50;
/** Processes take long to start, so the next ones start while another is downloading. */
const STARTED_AHEAD = 2;
/** Each process is killed at a random moment after one of these. */
const STEPS = ["begun", "halfway", "halfway", "done"];
const STEP_MS = 150;
const BUILDS = ["one", "other"].map((mark) => filesOf(mark, 3_000_000));

describe("a downloading process that is killed", () => {
  let depot: TestDepot;
  let front: FaultyFront;
  let path: string;
  let downloader: string;
  beforeAll(async () => {
    depot = await TestDepot.open();
    downloader = depot.path("downloader.js");
    // Loading many modules for each kill would take most of the time.
    await bundle({
      input: join(import.meta.dirname, "downloader.ts"),
      platform: "node",
      output: { file: downloader, codeSplitting: false },
    });
    front = await FaultyFront.open(depot.customer.apiUrl);
    front.storage = () => ({ dripBytes: 65_536 });
    path = depot.path("killed.mmdb");
    await depot.publish(BUILDS[0] ?? {});
    await depot.client().download(ID, "mmdb", { to: path });
  });
  afterAll(async () => {
    await front.close();
    await depot.dispose();
  });

  it(`leaves a complete file ${KILLS} times, and the next download succeeds`, async () => {
    const complete = BUILDS.map(({ mmdb }) => sha256Of(mmdb));
    const start = () => new Victim(downloader, front.url, depot.customer.key, path);
    const victims = Array.from({ length: STARTED_AHEAD }, start);
    const resumed = new Set<string>();
    front.storage = ({ headers }) => {
      if (headers.range !== undefined) resumed.add(headers.range);
      return { dripBytes: 65_536 };
    };
    for (let i = 0; i < KILLS; i += 1) {
      victims.push(start());
      // A new build now and then, so that some parts can be resumed and others cannot.
      if (i % 4 === 0) await depot.publish(BUILDS[(i / 4) % 2] ?? {});
      await victims.shift()?.kill(STEPS[i % STEPS.length] ?? "", Math.random() * STEP_MS);
      expect(complete).toContain(sha256Of(await readFile(path)));
    }
    for (const victim of victims) await victim.end();
    expect(resumed.size).toBeGreaterThan(0);
    const last = await depot.publish(filesOf("last"));
    await depot.client().download(ID, "mmdb", { to: path });
    expect((await readFile(path)).equals(last.files.mmdb as Buffer)).toBe(true);
    expect(await depot.parts(path)).toEqual([]);
  });
});

class Victim {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #stderr = "";

  constructor(...argv: string[]) {
    this.#process = spawn(process.execPath, argv);
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
  }

  async kill(step: string, afterMs: number): Promise<void> {
    await this.#until("ready");
    this.#process.stdin.write("go\n");
    await this.#until(step);
    await delay(afterMs);
    await this.end();
  }

  async end(): Promise<void> {
    this.#process.kill("SIGKILL");
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "exit");
    expect(this.#stderr).toBe("");
  }

  async #until(awaited: string): Promise<void> {
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`the downloader ended: ${this.#stderr}`);
      if (value === awaited) return;
    }
  }
}
