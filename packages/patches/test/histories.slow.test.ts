import { expect, it } from "vitest";
import { Random } from "../../../rigs/harness/random.ts";
import { useFolder } from "./folder.ts";
import { followHistory, randomHistory } from "./histories.ts";

const folder = useFolder();

it("300 random histories end with the right file", async () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = new Random(seed);
    const following = followHistory(random, randomHistory(random), seed % 2 === 0 ? "csvgz" : "mmdb", folder());
    await expect(following, `seed ${seed}`).resolves.toBeUndefined();
  }
});
