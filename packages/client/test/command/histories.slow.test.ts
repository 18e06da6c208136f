import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../../../rigs/harness/random.ts";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import type { Build } from "../../../server/src/domain/builds/build.ts";
import { rollBack, withdrawBuild } from "../../../server/src/domain/builds/rollback.ts";
import { type ExportedBuild, makePatches, publishDay } from "./exported-builds.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const MMDB = `${ID}.mmdb`;
const CSVGZ = `${ID}.csv.gz`;
const STEPS = 30;
const SEED = 38;

for (const stage of stages()) {
  describe(`A long random history on ${stage.name}`, () => {
    let shell: Shell;
    beforeAll(async () => {
      shell = await Shell.open({}, stage);
    });
    afterAll(() => shell.dispose());

    it("of publications, rollbacks, withdrawals and kills always ends with the current files", async () => {
      const random = new Random(SEED);
      const { operator, service } = shell.test;
      const { store } = service.services;
      const published = new Map<string, ExportedBuild>();
      const methods = new Set<string>();
      let day = 0;

      /** Few enough that the customer sometimes has a build that has none. */
      const makeSomePatches = () => makePatches(shell.test, { bases: 2 });
      const publish = async () => {
        day = random.chance(0.8) ? day + 1 : day + random.integer(2, 5);
        const next = await publishDay(shell.test, day);
        published.set(next.build.id, next);
        if (random.chance(0.7)) await makeSomePatches();
      };
      const current = async () => {
        const version = await store.versions.byId(ID);
        return published.get(version?.currentBuildId ?? "") as ExportedBuild;
      };
      /** The builds that a rollback can choose. */
      const others = async (): Promise<Build[]> => {
        const { build } = await current();
        const all = await Promise.all([...published.keys()].map((id) => store.builds.byId(id)));
        return all.filter((other): other is Build => other?.state === "published" && other?.id !== build.id);
      };
      const sync = async () => {
        const { files } = await shell.json(0, "sync", ID, "--formats", "mmdb,csvgz");
        for (const { result, method } of files) methods.add(method ?? result);
        const { mmdb, csvgz } = (await current()).files;
        expect((await readFile(shell.database(MMDB))).equals(mmdb)).toBe(true);
        expect((await readFile(shell.database(CSVGZ))).equals(csvgz)).toBe(true);
        expect(await shell.namesAfterKills()).toEqual([CSVGZ, MMDB]);
      };
      const killedSync = async () => {
        const child = shell.spawn(["sync", ID, "--formats", "mmdb,csvgz"]);
        await delay(random.integer(200, 1500));
        child.kill("SIGKILL");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      };
      const rollback = async () => {
        await rollBack(operator.operation(), { versionId: ID, to: random.pick(await others()).id });
        await operator.settle();
      };
      const withdraw = async () => {
        await withdrawBuild(operator.operation(), random.pick([(await current()).build, ...(await others())]).id);
        await operator.settle();
      };
      const damage = async () => {
        if (random.chance(0.5)) await writeFile(shell.database(CSVGZ), "damaged");
        else await rm(shell.database(MMDB), { force: true });
      };
      const steps: [weight: number, step: () => Promise<void>][] = [
        [6, publish],
        [2, makeSomePatches],
        [8, sync],
        [1, killedSync],
        [1, rollback],
        [1, withdraw],
        [1, damage],
      ];
      const bag = steps.flatMap(([weight, step]) => Array.from({ length: weight }, () => step));
      await publish();
      await sync();
      for (let i = 0; i < STEPS; i += 1) {
        // There is always one to roll back to, and one that remains after a withdrawal.
        if ((await others()).length < 2) await publish();
        await random.pick(bag)();
      }
      await sync();
      expect(methods).toEqual(new Set(["file", "patch", "compressed", "unchanged"]));
    });
  });
}
