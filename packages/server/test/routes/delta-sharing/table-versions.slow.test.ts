import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { expectError, linesOf, type SharedFile, SharedTables } from "./shared-tables.ts";

for (const stage of eitherStage()) {
  describe(`Versions of tables on ${stage.name}`, () => {
    let tables: SharedTables;
    beforeAll(async () => {
      tables = await SharedTables.open(stage);
    });
    afterAll(() => tables.dispose());

    it("reads earlier versions by number and by time, and the changes between them", async () => {
      const { id, url } = await tables.newTable();
      await tables.publish(id, [
        ["192.0.2.1", "1"],
        ["192.0.2.2", "2"],
      ]);
      const between = new Date(tables.test.clock.now().getTime() + 5000).toISOString();
      await tables.publish(id, [
        ["192.0.2.1", "10"],
        ["192.0.2.3", ""],
      ]);
      expect(await tables.rowsIn(await tables.post(`${url}/query`))).toEqual([
        ["192.0.2.1", "10"],
        ["192.0.2.3", null],
      ]);
      const earlier = await tables.post(`${url}/query`, { version: 1 });
      expect(earlier.headers.get("delta-table-version")).toBe("1");
      expect(linesOf(earlier)[1].metaData.version).toBe(1);
      expect(await tables.rowsIn(earlier)).toEqual([
        ["192.0.2.1", "1"],
        ["192.0.2.2", "2"],
      ]);
      expect(await tables.rowsIn(await tables.post(`${url}/query`, { timestamp: between }))).toHaveLength(2);
      const since = await tables.get(`${url}/version?startingTimestamp=${encodeURIComponent(between)}`);
      expect(since.headers.get("delta-table-version")).toBe("2");
      const changes = [
        ["192.0.2.1", "1", "update_preimage"],
        ["192.0.2.1", "10", "update_postimage"],
        ["192.0.2.2", "2", "delete"],
        ["192.0.2.3", null, "insert"],
      ];
      expect(await tables.rowsIn(await tables.get(`${url}/changes?startingVersion=2`))).toEqual(changes);
      expect(await tables.rowsIn(await tables.get(`${url}/changes?startingTimestamp=${between}`))).toEqual(changes);
      const all = await tables.get(`${url}/changes?startingVersion=0&endingVersion=99`);
      expect(
        linesOf(all)
          .slice(2)
          .map((line) => [Object.keys(line)[0], (Object.values(line)[0] as SharedFile).version]),
      ).toEqual([
        ["add", 1],
        ["cdf", 2],
      ]);
      expect(
        await tables.rowsIn(await tables.get(`${url}/changes?startingVersion=1&endingTimestamp=${between}`)),
      ).toHaveLength(2);
    });

    it.each([
      ["a publish", ["192.0.2.3", "3"]],
      ["a rollback", ["192.0.2.1", "1"]],
      ["the withdrawal of its build", ["192.0.2.1", "1"]],
      ["the removal of its build", ["192.0.2.4", "4"]],
    ])("lets a reader that started before %s finish with the old version", async (event, newest) => {
      const { id, url } = await tables.newTable();
      const first = await tables.publish(id, [["192.0.2.1", "1"]]);
      const second = await tables.publish(id, [["192.0.2.2", "2"]]);
      const started = await tables.post(`${url}/query`);
      if (event === "a publish") await tables.publish(id, [["192.0.2.3", "3"]]);
      else if (event === "the removal of its build") {
        await tables.publish(id, [["192.0.2.3", "3"]]);
        await tables.removeOthers(await tables.publish(id, [["192.0.2.4", "4"]]));
      } else {
        const operation = tables.test.operator.operation();
        await (event === "a rollback" ? rollBack(operation, { versionId: id }) : withdrawBuild(operation, second.id));
        await tables.written(first);
      }
      await tables.removeFiles();
      expect(await tables.rowsIn(started)).toEqual([["192.0.2.2", "2"]]);
      expect(await tables.rowsIn(await tables.post(`${url}/query`))).toEqual([newest]);
    });

    it("continues after a rollback with a new version and the changes that lead to it", async () => {
      const { id, url } = await tables.newTable();
      const first = await tables.publish(id, [["192.0.2.1", "1"]]);
      await tables.publish(id, [["192.0.2.1", "2"]]);
      await rollBack(tables.test.operator.operation(), { versionId: id });
      await tables.written(first);
      const reply = await tables.post(`${url}/query`);
      expect(reply.headers.get("delta-table-version")).toBe("3");
      expect(await tables.rowsIn(reply)).toEqual([["192.0.2.1", "1"]]);
      expect(await tables.rowsIn(await tables.get(`${url}/changes?startingVersion=3`))).toEqual([
        ["192.0.2.1", "2", "update_preimage"],
        ["192.0.2.1", "1", "update_postimage"],
      ]);
    });

    it("never sends rows of a withdrawn build, and names the version to start from", async () => {
      const { id, url } = await tables.newTable();
      const first = await tables.publish(id, [["192.0.2.1", "1"]]);
      const second = await tables.publish(id, [["192.0.2.66", "2"]]);
      await withdrawBuild(tables.test.operator.operation(), second.id);
      await tables.written(first);
      expectError(
        await tables.post(`${url}/query`, { version: 2 }),
        410,
        "VERSION_GONE",
        "Version 2 is no longer kept. The oldest version that can be read is 1.",
      );
      expectError(
        await tables.get(`${url}/changes?startingVersion=2`),
        410,
        "VERSION_GONE",
        "The changes of version 3 are not kept (the previous build was withdrawn). Load the whole table, and start from version 4 once it exists.",
      );
      expect(await tables.rowsIn(await tables.post(`${url}/query`))).toEqual([["192.0.2.1", "1"]]);
      await tables.publish(id, [["192.0.2.1", "4"]]);
      expectError(
        await tables.get(`${url}/changes?startingVersion=1`),
        410,
        "VERSION_GONE",
        "The changes of version 3 are not kept (the previous build was withdrawn). The oldest version to start from is 4.",
      );
      expect(await tables.rowsIn(await tables.get(`${url}/changes?startingVersion=4`))).toHaveLength(2);
    });

    it("names the oldest version after builds were removed", async () => {
      const { id, url } = await tables.newTable();
      for (const asn of ["1", "2", "3"]) await tables.publish(id, [["192.0.2.1", asn]]);
      tables.test.clock.advance("2 days");
      await tables.removeOthers(await tables.publish(id, [["192.0.2.1", "4"]]), 2);
      const reply = await tables.post(`${url}/query`, { version: 1 });
      expectError(reply, 410, "VERSION_GONE", "Version 1 is no longer kept. The oldest version that can be read is 3.");
      const changes = await tables.get(`${url}/changes?startingVersion=1`);
      expectError(
        changes,
        410,
        "VERSION_GONE",
        "The changes of version 2 are not kept. The oldest version to start from is 3.",
      );
      expect(await tables.rowsIn(await tables.get(`${url}/changes?startingVersion=3`))).toHaveLength(4);
    });
  });
}
