import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Attempt, newAttempt } from "../../src/downloads/attempt.ts";
import { History } from "../../src/downloads/history.ts";
import { removeOldAttempts } from "../../src/downloads/retention.ts";
import { folderSpool } from "../../src/downloads/spool.ts";
import type { AttemptStore } from "../../src/downloads/store.ts";
import { firstIdOf } from "../../src/ids.ts";
import { engines, type OpenedStore } from "../engines.ts";

function attempt(datasetId: string, now = new Date()): Attempt {
  const request = {
    api: "v2",
    datasetId,
    format: "mmdb",
    clientIp: "192.0.2.1",
    userAgent: "ü\ud800",
  } as const;
  return newAttempt(request, { organizationId: null, keyId: null }, { outcome: "unknown", httpStatus: 404 }, now);
}

/** The database's history, which can be put out of reach, and which counts its commits. */
function fragile(store: Pick<AttemptStore, "append">) {
  const state = { isDown: false, commits: 0 };
  const append: AttemptStore["append"] = async (attempts) => {
    if (state.isDown) throw new Error("out of reach");
    state.commits += 1;
    await store.append(attempts);
  };
  return { state, append };
}

for (const engine of engines) {
  describe(`the history on ${engine.name}`, () => {
    let opened: OpenedStore;
    let folder: string;
    beforeEach(async () => {
      opened = await engine.open();
      folder = await mkdtemp(join(tmpdir(), "dbdepot-spool-"));
    });
    afterEach(async () => {
      await opened.dispose();
      await rm(folder, { recursive: true });
    });
    const stored = async () => (await opened.store.attempts.list({ limit: 10_000 })).map(({ datasetId }) => datasetId);

    it("is durable when record resolves, and commits in groups under load", async () => {
      const { state, append } = fragile(opened.store.attempts);
      const history = new History({ append }, folderSpool(folder), () => {});
      const first = history.record(attempt("first"));
      await first;
      expect(await stored()).toEqual(["first"]);
      await Promise.all(Array.from({ length: 500 }, (_, i) => history.record(attempt(`load_${i}`))));
      expect(await stored()).toHaveLength(501);
      expect(state.commits).toBeLessThan(20);
      await history.close();
    });

    it("goes to the spool while the database is out of reach, and is moved in once each when it is back", async () => {
      const { state, append } = fragile(opened.store.attempts);
      const troubles: unknown[] = [];
      const history = new History({ append }, folderSpool(folder), (error) => troubles.push(error));
      await history.record(attempt("before"));
      state.isDown = true;
      for (let i = 0; i < 5; i += 1) await history.record(attempt(`spooled_${i}`));
      expect(await readdir(folder)).toHaveLength(5);
      expect(await stored()).toEqual(["before"]);
      expect(troubles).toHaveLength(1);
      state.isDown = false;
      await expect.poll(stored, { timeout: 5000 }).toHaveLength(6);
      await history.record(attempt("after"));
      expect(await stored()).toEqual(["after", ...[4, 3, 2, 1, 0].map((i) => `spooled_${i}`), "before"]);
      // A file goes once its attempts are there.
      await expect.poll(() => readdir(folder)).toEqual([]);
      await history.close();
    });

    it("takes in at its start what an earlier run left in the spool, as it was", async () => {
      const left = attempt("left behind");
      await folderSpool(folder).put([left]);
      const history = new History(opened.store.attempts, folderSpool(folder), () => {});
      await history.start();
      expect(await opened.store.attempts.list({ limit: 10 })).toEqual([left]);
      await history.close();
    });

    it("fails the attempt when neither the database nor the spool can take it", async () => {
      const { state, append } = fragile(opened.store.attempts);
      state.isDown = true;
      const spool = { put: () => Promise.reject(new Error("disk full")), drain: () => Promise.reject(new Error("x")) };
      const history = new History({ append }, spool, () => {});
      await expect(history.record(attempt("lost"))).rejects.toThrow("disk full");
      state.isDown = false;
      await history.close();
    });

    it("gives up on a database that hangs, and does not store the attempt twice when it answers late", async () => {
      let release = () => {};
      const append: AttemptStore["append"] = async (attempts) => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        await opened.store.attempts.append(attempts);
      };
      const history = new History({ append }, folderSpool(folder), () => {});
      const recorded = history.record(attempt("slow"));
      await recorded;
      expect(await readdir(folder)).toHaveLength(1);
      release();
      await delay(200);
      await folderSpool(folder).drain((attempts) => opened.store.attempts.append(attempts));
      expect(await stored()).toEqual(["slow"]);
      await history.close();
    });

    it("forgets what is older than the retention, and nothing else", async () => {
      const now = new Date();
      const days = (count: number) => new Date(now.getTime() - count * 86_400_000);
      // Ids of one process never go backwards, so these are made by hand.
      const rows = [31, 30.5, 29, 0].map((age) => ({ ...attempt(`${age} days`, days(age)), id: firstIdOf(days(age)) }));
      await opened.store.attempts.append(rows);
      expect(await removeOldAttempts(opened.store.attempts, 30, now)).toBe(2);
      expect(await stored()).toEqual(["0 days", "29 days"]);
    });
  });
}
