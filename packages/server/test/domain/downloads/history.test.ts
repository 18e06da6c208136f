import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { eitherEngine, type OpenedStore } from "../../../../../rigs/harness/service/engines.ts";
import { openStore } from "../../../src/adapters/sql/open.ts";
import { type Attempt, newAttempt } from "../../../src/domain/downloads/attempt.ts";
import { History, type Spool } from "../../../src/domain/downloads/history.ts";
import { directorySpool } from "../../../src/domain/downloads/spool.ts";
import type { AttemptStore } from "../../../src/domain/downloads/store.ts";
import { removeOldAttempts } from "../../../src/domain/retention/attempts.ts";
import { Unavailable } from "../../../src/platform/primitives/faults.ts";
import { firstIdOf, newId } from "../../../src/platform/primitives/ids.ts";

/** Short, so that an outage in a test is short, too. */
const REPLAY_DELAY_MS = 20;
/** Only for tests in which the database hangs: a slow machine may take longer for a commit. */
const APPEND_TIMEOUT_MS = 100;

function attempt(datasetId: string, now = new Date()): Attempt {
  const request = {
    id: newId(now),
    api: "v2",
    datasetId,
    format: "mmdb",
    sample: false,
    clientIp: "192.0.2.1",
    userAgent: "ü\ud800",
  } as const;
  return newAttempt(request, { organizationId: null, keyId: null }, { outcome: "unknown", httpStatus: 404 }, now);
}

/** Their ids are built by hand, because those of one process never go backwards. */
function attemptsAt(time: Date, count: number): Attempt[] {
  const prefix = firstIdOf(time).slice(0, 24);
  return Array.from({ length: count }, (_, n) => {
    return { ...attempt("old", time), id: prefix + n.toString(16).padStart(12, "0") };
  });
}

/** The store's `append` and `probe`, which a test can make fail or hang. */
class Outage {
  mode: "none" | "fail" | "hang" = "none";
  commits = 0;
  failures = 0;
  #store: Pick<AttemptStore, "append" | "probe">;
  #release = Promise.withResolvers<void>();

  constructor(store: Pick<AttemptStore, "append" | "probe">) {
    this.#store = store;
  }

  async append(attempts: readonly Attempt[]): Promise<void> {
    if (this.mode === "fail") {
      this.failures += 1;
      throw new Error("unreachable");
    }
    if (this.mode === "hang") await this.#release.promise;
    this.commits += 1;
    await this.#store.append(attempts);
  }

  async probe(): Promise<void> {
    if (this.mode === "fail") throw new Error("unreachable");
    if (this.mode === "hang") await this.#release.promise;
    await this.#store.probe();
  }

  end(): void {
    this.mode = "none";
    this.#release.resolve();
  }
}

for (const engine of eitherEngine()) {
  describe(`History on ${engine.name}`, () => {
    let opened: OpenedStore;
    let directory: string;
    let spool: Spool;
    let outage: Outage;
    let failures: string[];

    beforeEach(async () => {
      opened = await engine.open();
      directory = await mkdtemp(join(tmpdir(), "dbdepot-spool-"));
      failures = [];
      spool = directorySpool(directory, onFailure);
      outage = new Outage(opened.store.attempts);
      onTestFinished(async () => {
        await opened.dispose();
        await rm(directory, { recursive: true });
      });
    });

    const onFailure = (message: string) => void failures.push(message);

    function openHistory(on: Pick<AttemptStore, "append" | "probe"> = outage, appendTimeoutMs = 20_000): History {
      const history = new History(on, spool, { onFailure, appendTimeoutMs, replayDelayMs: REPLAY_DELAY_MS });
      onTestFinished(async () => {
        outage.end();
        await history.close();
      });
      return history;
    }

    const stored = async () => (await opened.store.attempts.list({ limit: 10_000 })).map(({ datasetId }) => datasetId);
    const spooled = () => readdir(directory);

    it("has stored an attempt when record resolves, and commits in groups under load", async () => {
      const history = openHistory();
      await history.record(attempt("first"));
      expect(await stored()).toEqual(["first"]);
      await Promise.all(Array.from({ length: 500 }, (_, i) => history.record(attempt(`load_${i}`))));
      expect(await stored()).toHaveLength(501);
      expect(outage.commits).toBeLessThan(20);
    });

    it("spools attempts while the database is unreachable, and stores each once when it is back", async () => {
      const history = openHistory();
      await history.record(attempt("before"));
      outage.mode = "fail";
      for (let i = 0; i < 5; i += 1) await history.record(attempt(`spooled_${i}`));
      expect(await spooled()).toHaveLength(5);
      expect(await stored()).toEqual(["before"]);
      expect(failures).toHaveLength(1);
      outage.end();
      await expect.poll(spooled).toEqual([]);
      await history.record(attempt("after"));
      expect(await stored()).toEqual(["after", ...[4, 3, 2, 1, 0].map((i) => `spooled_${i}`), "before"]);
    });

    it("can record while the spool or the database can be written, and leaves nothing behind when it tries", async () => {
      const history = openHistory(outage, APPEND_TIMEOUT_MS);
      await expect.poll(() => history.canRecord()).toBe(true);
      outage.mode = "fail";
      await expect.poll(() => history.canRecord()).toBe(true);
      const { probe } = spool;
      spool.probe = () => Promise.reject(new Error("ENOSPC: no space left on device"));
      expect(await history.canRecord()).toBe(false);
      outage.mode = "hang";
      expect(await history.canRecord()).toBe(false);
      outage.end();
      await expect.poll(() => history.canRecord()).toBe(true);
      spool.probe = probe;
      expect([await stored(), await spooled()]).toEqual([[], []]);
    });

    it("stores a group that reaches the spool just after it was replayed", async () => {
      const replayed = Promise.withResolvers<void>();
      const { put, replay } = spool;
      spool.replay = (store) => replay(store).then(replayed.resolve);
      const history = openHistory();
      outage.mode = "fail";
      await history.record(attempt("first"));
      spool.put = async (attempts) => {
        outage.end();
        await replayed.promise;
        await put(attempts);
      };
      await history.record(attempt("second"));
      await expect.poll(stored).toEqual(["second", "first"]);
    });

    it("reports each outage once", async () => {
      const history = openHistory();
      for (let i = 0; i < 2; i += 1) {
        outage.mode = "fail";
        await history.record(attempt("spooled"));
        const failed = outage.failures;
        await expect.poll(() => outage.failures).toBeGreaterThan(failed + 2);
        outage.end();
        await expect.poll(spooled).toEqual([]);
      }
      expect(failures).toHaveLength(2);
    });

    it("replays attempts that an earlier run left in the spool", async () => {
      const leftover = attempt("left behind");
      await spool.put([leftover]);
      await openHistory().start();
      expect(await opened.store.attempts.list({ limit: 10 })).toEqual([leftover]);
      expect(await spooled()).toEqual([]);
    });

    it("replays attempts that the first version left in the spool, which knew neither open families nor samples", async () => {
      const { open: _, sample: __, ...leftover } = attempt("left behind");
      await spool.put([leftover as Attempt]);
      await openHistory().start();
      expect(await opened.store.attempts.list({ limit: 10 })).toEqual([{ ...leftover, open: false, sample: false }]);
    });

    it("starts while the database is unreachable, and replays the spool when it is back", async () => {
      await spool.put([attempt("left behind")]);
      outage.mode = "fail";
      await openHistory().start();
      expect(failures).toHaveLength(1);
      outage.end();
      await expect.poll(stored).toEqual(["left behind"]);
    });

    it("shares a spool with another process, and stores each attempt once", async () => {
      const histories = [openHistory(), openHistory()];
      outage.mode = "fail";
      await Promise.all(histories.flatMap((history) => [1, 2, 3].map((i) => history.record(attempt(String(i))))));
      for (let i = 0; i < 20; i += 1) await spool.put([attempt("left behind")]);
      outage.end();
      await expect.poll(spooled).toEqual([]);
      expect(await stored()).toHaveLength(26);
    });

    it("fails an attempt that neither the database nor the spool can store, and recovers", async () => {
      const file = join(directory, "file");
      await writeFile(file, "not a directory");
      spool = directorySpool(join(file, "spool"), onFailure);
      const history = openHistory();
      outage.mode = "fail";
      await expect(history.record(attempt("lost"))).rejects.toThrow(Unavailable);
      await expect(history.record(attempt("lost"))).rejects.toThrow(Unavailable);
      outage.end();
      await expect.poll(() => history.record(attempt("back")).then(() => true)).toBe(true);
      expect(new Set(await stored())).toEqual(new Set(["back"]));
    });

    it("spools attempts while the database hangs, and stores them once even if it responds late", async () => {
      const history = openHistory(outage, APPEND_TIMEOUT_MS);
      outage.mode = "hang";
      await history.record(attempt("slow"));
      await history.record(attempt("later"));
      expect(await spooled()).toHaveLength(2);
      expect(failures).toHaveLength(1);
      outage.end();
      await expect.poll(spooled).toEqual([]);
      expect(await stored()).toEqual(["later", "slow"]);
    });

    it("sends a hanging database no further requests until it responds", async () => {
      let requests = 0;
      const hanging = {
        append: (attempts: readonly Attempt[]) => {
          requests += 1;
          return outage.append(attempts);
        },
        probe: () => outage.probe(),
      };
      const history = openHistory(hanging, APPEND_TIMEOUT_MS);
      outage.mode = "hang";
      for (let i = 0; i < 3; i += 1) await history.record(attempt("slow"));
      await delay(5 * REPLAY_DELAY_MS);
      expect(requests).toBe(1);
    });

    it("sets a corrupt spool file aside and replays the others", async () => {
      await spool.put([attempt("first")]);
      await writeFile(join(directory, "0-corrupt.json"), '[{"id":');
      await openHistory().start();
      expect(await stored()).toEqual(["first"]);
      expect(failures).toEqual([expect.stringContaining("0-corrupt.json is corrupt")]);
      expect(await spooled()).toEqual(["0-corrupt.json.corrupt"]);
    });

    it("deletes files that a killed process left incomplete, but not those still being written", async () => {
      const [abandoned, recent] = [join(directory, "abandoned"), join(directory, "recent")];
      for (const path of [abandoned, recent]) await writeFile(path, '[{"id":');
      const anHourAgo = new Date(Date.now() - 3_600_000);
      await utimes(abandoned, anHourAgo, anHourAgo);
      await openHistory().start();
      expect(await spooled()).toEqual(["recent"]);
    });

    /** A history whose usage is final until the given day. */
    function counted(attempts: Pick<AttemptStore, "removeBefore">, finalUntil: string | undefined = "9999-01-01") {
      return { attempts, usage: { progress: async () => ({ finalUntil, updated: undefined }) } };
    }

    it("deletes attempts older than the retention, and nothing else", async () => {
      const now = new Date();
      const days = (count: number) => new Date(now.getTime() - count * 86_400_000);
      // The ids of one process never go backwards, so these are built by hand.
      const rows = [31, 30.5, 29, 0].map((age) => ({ ...attempt(`${age} days`, days(age)), id: firstIdOf(days(age)) }));
      await opened.store.attempts.append(rows);
      expect(await removeOldAttempts(counted(opened.store.attempts), 30, now)).toBe(2);
      expect(await stored()).toEqual(["0 days", "29 days"]);
    });

    it("keeps attempts of days whose usage is not final", async () => {
      const now = new Date("2027-03-31T12:00:00Z");
      const days = ["2027-01-01", "2027-01-02", "2027-01-03"].map((day) => new Date(`${day}T00:00:00Z`));
      await opened.store.attempts.append(
        days.map((time) => ({ ...attempt(time.toISOString().slice(0, 10), time), id: firstIdOf(time) })),
      );
      const { attempts } = opened.store;
      expect(await removeOldAttempts({ attempts, usage: opened.store.usage }, 30, now)).toBe(0);
      expect(await removeOldAttempts(counted(attempts, "2027-01-02"), 30, now)).toBe(1);
      expect(await stored()).toEqual(["2027-01-03", "2027-01-02"]);
    });

    it("deletes old attempts in batches of 500", async () => {
      const now = new Date();
      const longAgo = new Date(now.getTime() - 31 * 86_400_000);
      await opened.store.attempts.append(attemptsAt(longAgo, 1200));
      const batches: number[] = [];
      const removeBefore: AttemptStore["removeBefore"] = async (...batch) => {
        const removed = await opened.store.attempts.removeBefore(...batch);
        batches.push(removed);
        return removed;
      };
      expect(await removeOldAttempts(counted({ removeBefore }), 30, now)).toBe(1200);
      expect(batches).toEqual([500, 500, 200, 0]);
    });

    it("deletes all old attempts when several processes delete concurrently", async () => {
      const now = new Date();
      const longAgo = new Date(now.getTime() - 31 * 86_400_000);
      await opened.store.attempts.append(attemptsAt(longAgo, 5000));
      await opened.store.attempts.append([attempt("new")]);
      const stores = await Promise.all([1, 2, 3].map(() => openStore(opened.address)));
      const deleted = await Promise.all(stores.map((store) => removeOldAttempts(counted(store.attempts), 30, now)));
      expect(deleted.reduce((sum, count) => sum + count)).toBe(5000);
      expect(await stored()).toEqual(["new"]);
      for (const store of stores) await store.close();
    });

    it.runIf(engine.name === "sqlite")("stores attempts between the batches of a long deletion", async () => {
      const now = new Date();
      const longAgo = new Date(now.getTime() - 31 * 86_400_000);
      await opened.store.attempts.append(attemptsAt(longAgo, 2000));
      let isDeleting = true;
      const deleted = removeOldAttempts(counted(opened.store.attempts), 30, now).finally(() => {
        isDeleting = false;
      });
      await openHistory().record(attempt("new"));
      expect(isDeleting).toBe(true);
      expect(await deleted).toBe(2000);
      expect(await stored()).toEqual(["new"]);
    });

    it.runIf(engine.name === "sqlite")(
      "neither loses nor repeats attempts when the database is locked under load",
      async () => {
        if (opened.address.engine !== "sqlite") throw new Error("not SQLite");
        using other = new DatabaseSync(opened.address.path, { timeout: 10_000 });
        const history = openHistory(opened.store.attempts, APPEND_TIMEOUT_MS);
        const recorded: string[] = [];
        let isOver = false;
        const client = async () => {
          while (!isOver) {
            const one = attempt("load");
            await history.record(one);
            recorded.push(one.id);
          }
        };
        const clients = Array.from({ length: 8 }, client);
        for (let round = 0; round < 3; round += 1) {
          const before = recorded.length;
          other.exec("begin immediate");
          await expect.poll(() => recorded.length).toBeGreaterThan(before + 100);
          expect((await spooled()).length).toBeGreaterThan(0);
          other.exec("rollback");
          await expect.poll(spooled).toEqual([]);
        }
        isOver = true;
        await Promise.all(clients);
        await expect.poll(spooled).toEqual([]);
        const ids = (await opened.store.attempts.list({ limit: 100_000 })).map(({ id }) => id);
        expect(ids.sort()).toEqual(recorded.sort());
      },
    );
  });
}
