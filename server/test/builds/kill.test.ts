import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../../src/builds/sweep.ts";
import { stages } from "../stages.ts";
import { Depot } from "./depot.ts";
import { made } from "./made.ts";

const KILLS = 50;
/** So many wait to be killed at once: to start one takes longer than to publish. */
const AT_ONCE = 2;
/** About as long as a publication takes; more, and most would be killed between two of them. */
const LIFETIME_MS = 400;
const ID = "killed_v1";

type Publisher = ChildProcessByStdio<null, Readable, Readable>;

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

    function start(): Publisher {
      const argv = [join(import.meta.dirname, "publisher.ts"), JSON.stringify(depot.settings), ID];
      const env = { ...process.env, NODE_COMPILE_CACHE: cache };
      return spawn(process.execPath, argv, { stdio: ["ignore", "pipe", "pipe"], env });
    }

    /** Kills it somewhere in its first publications, and gives the last thing that it said. */
    async function kill(publisher: Publisher): Promise<string> {
      const said: string[] = [];
      publisher.stdout.setEncoding("utf8").on("data", (text: string) => said.push(...text.trim().split("\n")));
      let complaint = "";
      publisher.stderr.setEncoding("utf8").on("data", (text: string) => {
        complaint += text;
      });
      await Promise.race([once(publisher.stdout, "data"), once(publisher, "exit")]);
      await delay(Math.random() * LIFETIME_MS);
      publisher.kill("SIGKILL");
      if (publisher.exitCode === null && publisher.signalCode === null) await once(publisher, "exit");
      // It may be told that another was faster; then it ended by itself.
      if (!complaint.includes("got another current build")) expect(complaint).toBe("");
      return said.at(-1) ?? "";
    }

    it(`at ${KILLS} moments leaves a whole build served each time, and the next publication works`, async () => {
      const moments: Record<string, number> = {};
      const waiting = Array.from({ length: AT_ONCE }, start);
      for (let i = 0; i < KILLS; i += 1) {
        const publisher = waiting.shift() ?? start();
        const moment = await kill(publisher);
        moments[moment] = (moments[moment] ?? 0) + 1;
        if (i + AT_ONCE < KILLS) waiting.push(start());
        await depot.expectServed(ID);
      }
      // Not only before anything happened.
      expect(Object.keys(moments).length).toBeGreaterThan(2);
      const { build } = await depot.publish(ID, made(ID, { mark: "after all" }), { force: true });
      expect((await depot.expectServed(ID)).id).toBe(build.id);

      // The leftovers are swept away, and nothing else.
      depot.clock.advance("2 days");
      await sweep(depot.operation(), depot.objects, new Date(depot.clock.now().getTime() - 86_400_000));
      const kept = await depot.store.builds.list(ID);
      expect(kept.every(({ state }) => state === "published")).toBe(true);
      const named = kept.flatMap(({ files }) => [files.csvgz?.objectKey, files.mmdb?.objectKey]);
      expect(await depot.keys()).toEqual(named.sort());
      await depot.expectServed(ID);
      if (process.env.DBDEPOT_TEST_VERBOSE) process.stderr.write(`${stage.name}: ${JSON.stringify(moments)}\n`);
    }, 120_000);
  });
}
