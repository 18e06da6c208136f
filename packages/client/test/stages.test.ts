import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stages } from "../../../rigs/harness/service/stages.ts";
import { filesOf, ID, TestDepot } from "./depot.ts";
import { FaultyFront } from "./faults.ts";

for (const stage of stages()) {
  describe(`a customer of ${stage.name}`, () => {
    let depot: TestDepot;
    let front: FaultyFront;
    const files = filesOf("first", 2_000_000);
    beforeAll(async () => {
      depot = await TestDepot.open({}, stage);
      await depot.publish(files);
      front = await FaultyFront.open(depot.customer.apiUrl);
    });
    afterAll(async () => {
      await front.close();
      await depot.dispose();
    });

    for (const format of ["mmdb", "csvgz"] as const) {
      it(`downloads the ${format} across cut connections and expired links`, async () => {
        front.reset();
        front.storage = ({ number }) => (number % 3 === 2 ? { status: 403 } : { cutAfterBytes: 300_000 });
        const to = depot.path(`staged.${format}`);
        await depot.client({ baseUrl: front.url }).download(ID, format, { to });
        expect((await readFile(to)).equals(files[format])).toBe(true);
        expect(front.seenByStorage.filter(({ headers }) => headers["if-range"]).length).toBeGreaterThan(2);
      });

      it(`downloads the ${format} from the storage and from the service`, async () => {
        for (const delivery of ["redirect", "stream"] as const) {
          const to = depot.path(`straight.${format}`);
          await depot.client({ retries: 0 }).download(ID, format, { to, delivery });
          expect((await readFile(to)).equals(files[format])).toBe(true);
        }
      });
    }
  });
}
