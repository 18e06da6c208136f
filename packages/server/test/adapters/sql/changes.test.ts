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

    it("keeps the newest outcome of a comparison", async () => {
      const { changes } = opened.store;
      expect(await changes.find(pair)).toBeUndefined();
      await changes.save(pair, { ...OUTCOME, reason: "comparing the builds failed several times" }, clock.now());
      await changes.save(pair, OUTCOME, clock.now());
      expect(await changes.find(pair)).toEqual(OUTCOME);
    });
  });
}
