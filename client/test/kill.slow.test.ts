import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";
import { FaultyFront } from "./faults.ts";

const KILLS = 50;
/** To start a process takes longer than to download: one gets ready while another is at work. */
const GETTING_READY = 2;
/** It is killed at some moment after one of these. */
const STEPS = ["begun", "half way", "half way", "done"];
const STEP_MS = 150;
const BUILDS = ["one", "other"].map((mark) => filesOf(mark, 3_000_000));

describe("a process that downloads, killed", () => {
  let depot: TestDepot;
  let front: FaultyFront;
  let path: string;
  beforeAll(async () => {
    depot = await TestDepot.open();
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

  it(`at ${KILLS} moments leaves a whole file each time, and the next run ends well`, async () => {
    const sound = BUILDS.map(({ mmdb }) => sha256Of(mmdb));
    const victims = Array.from({ length: GETTING_READY }, () => new Victim(front.url, depot.customer.key, path));
    const resumed = new Set<string>();
    front.storage = ({ headers }) => {
      if (headers.range !== undefined) resumed.add(headers.range);
      return { dripBytes: 65_536 };
    };
    for (let i = 0; i < KILLS; i += 1) {
      victims.push(new Victim(front.url, depot.customer.key, path));
      // Now and then there is another build, so that some parts are of use to the next one and some are not.
      if (i % 4 === 0) await depot.publish(BUILDS[(i / 4) % 2] ?? {});
      await victims.shift()?.kill(STEPS[i % STEPS.length] ?? "", Math.random() * STEP_MS);
      expect(sound).toContain(sha256Of(await readFile(path)));
    }
    for (const victim of victims) await victim.end();
    expect(resumed.size).toBeGreaterThan(0);
    const last = await depot.publish(filesOf("last"));
    await depot.client().download(ID, "mmdb", { to: path });
    expect((await readFile(path)).equals(last.files.mmdb as Buffer)).toBe(true);
    expect(await depot.parts(path)).toEqual([]);
  });
});

/** A customer's process that will not see the end of it. */
class Victim {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #words: AsyncIterator<string>;
  #complaint = "";

  constructor(...argv: string[]) {
    this.#process = spawn(process.execPath, [join(import.meta.dirname, "downloader.ts"), ...argv]);
    this.#words = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaint += text;
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
    expect(this.#complaint).toBe("");
  }

  async #until(awaited: string): Promise<void> {
    for (;;) {
      const { value, done } = await this.#words.next();
      if (done) throw new Error(`the downloader ended: ${this.#complaint}`);
      if (value === awaited) return;
    }
  }
}
