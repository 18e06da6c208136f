import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../../rigs/harness/random.ts";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";
import { generateMonth } from "./month.ts";
import { referenceTotals } from "./reference.ts";
import { monthTotals, storedTotals, sumsOf } from "./stored.ts";

const KILLS = 15;
const LATER = new Date("2027-03-01T12:00:00Z");

for (const engine of engines) {
  describe(`usage totals on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("equal the sum of the history after the process was killed during updates", async () => {
      const { store, address } = opened;
      const seed = Math.floor(Math.random() * 2 ** 32);
      const random = new Random(seed);
      const month = await generateMonth(store, seed, 2000);
      const groupSize = Math.ceil(month.arrivals.length / KILLS);
      for (let first = 0; first < month.arrivals.length; first += groupSize) {
        const group = month.arrivals.slice(first, first + groupSize);
        await store.attempts.append(group.flatMap(({ attempts }) => attempts));
        const argv = [join(import.meta.dirname, "updates.ts"), JSON.stringify(address)];
        const child = spawn(process.execPath, [...argv, group.at(-1)?.time.toISOString() ?? ""]);
        const ended = once(child, "exit");
        await once(child.stdout, "data");
        await setTimeout(random.integer(0, 80));
        child.kill("SIGKILL");
        expect(await ended).toEqual([null, "SIGKILL"]);
      }
      await updateUsage({ usage: store.usage, clock: () => LATER, by: "the test" });
      const expected = referenceTotals(
        month.arrivals.flatMap(({ attempts }) => attempts),
        month.databases,
      );
      expect(await storedTotals(opened, month.organizationIds), `seed ${seed}`).toEqual(expected);
      expect(await monthTotals(opened, month.organizationIds), `seed ${seed}`).toEqual(sumsOf(expected));
    });
  });
}
