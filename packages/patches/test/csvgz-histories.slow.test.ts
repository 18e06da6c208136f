import { expect, it } from "vitest";
import { Random } from "../../../rigs/harness/random.ts";
import { useFolder } from "./folder.ts";
import { followHistory, randomHistory } from "./histories.ts";

const folder = useFolder(process.env.DBDEPOT_TEST_MEMORY);

// Each format has its own file, so that they run at the same time.
it("10,000 random histories end with the right csvgz file", { timeout: 3_600_000 }, async () => {
  for (let seed = 1000; seed < 11_000; seed++) {
    const random = new Random(seed);
    const following = followHistory(random, randomHistory(random), "csvgz", folder());
    await expect(following, `seed ${seed}`).resolves.toBeUndefined();
  }
});
