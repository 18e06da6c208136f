import { describe, expect, it } from "vitest";
import { eitherEngine, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { startEventMaintenance } from "../../../src/domain/reminders/maintenance.ts";
import { storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { day, licence } from "../licences/terms.ts";

for (const engine of eitherEngine()) {
  describe(`maintenance of events on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    it("announces ends once, as soon as a server starts", async () => {
      const { store } = opened;
      const organizationId = (await storedOrganization(store)).id;
      const { base } = await storedVersion(store);
      await store.change(async (tables) => {
        await tables.licences.insert(licence({ organizationId, base, starts: day(0), expires: day(70) }));
      });
      const replica = await openStore(opened.address);
      const fail = (error: unknown) => expect.unreachable(String(error));
      const tasks = [store, replica].map((each) => startEventMaintenance(each, () => day(40), fail));
      await expect
        .poll(async () => (await store.events.after(undefined, 10)).map(({ type }) => type))
        .toEqual(["licence.ending"]);
      await Promise.all(tasks.map((task) => task.stop()));
      await replica.close();
      expect(await store.events.after(undefined, 10)).toHaveLength(1);
    });

    it("reports a failure and goes on", async () => {
      const { store, dispose } = await engine.openEmpty();
      const failures: unknown[] = [];
      const task = startEventMaintenance(
        store,
        () => day(40),
        (error) => failures.push(error),
      );
      await expect.poll(() => failures).toHaveLength(1);
      await task.stop();
      await dispose();
    });
  });
}
