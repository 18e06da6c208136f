import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { TestClock } from "../../../../../rigs/harness/service/test-clock.ts";
import type { Outcome } from "../../../src/domain/builds/changes/outcome.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";

const OUTCOME: Outcome = { state: "not_compared", reason: "the columns of the two builds differ" };

for (const engine of engines) {
  describe(`The store of changes on ${engine.name}`, () => {
    const opened = sharedStore(engine);
    const clock = new TestClock();
    const pair = { from: newId(clock.now()), to: newId(clock.now()) };
    const until = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

    it("lets exactly one of several processes compare a pair, and another one if it crashes", async () => {
      const { changes } = opened.store;
      await changes.request(pair, clock.now());
      await changes.request(pair, clock.now());
      const names = Array.from({ length: 10 }, (_, index) => `process ${index}`);
      const claims = await Promise.all(names.map((by) => changes.claim({ by, until: until(60) }, clock.now())));
      expect(claims.filter((claimed) => claimed !== undefined)).toEqual([{ ...pair, attempts: 1 }]);
      clock.advance("61 seconds");
      expect(await changes.claim({ by: "another", until: until(60) }, clock.now())).toEqual({ ...pair, attempts: 2 });
      for (const by of names) expect(await changes.extend(pair, { by, until: until(60) })).toBe(false);
    });

    it("keeps the result of the process that holds the claim, and a released pair can be claimed again", async () => {
      const { changes } = opened.store;
      await changes.release(pair, "another");
      expect(await changes.claim({ by: "third", until: until(60) }, clock.now())).toEqual({ ...pair, attempts: 2 });
      await changes.finish(pair, "another", { ...OUTCOME, reason: "too late" });
      expect(await changes.find(pair)).toBeUndefined();
      await changes.finish(pair, "third", OUTCOME);
      expect(await changes.find(pair)).toEqual(OUTCOME);
      clock.advance("3600 seconds");
      expect(await changes.claim({ by: "fourth", until: until(60) }, clock.now())).toBeUndefined();
    });
  });
}
