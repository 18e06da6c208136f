import { readFileSync, statSync } from "node:fs";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { SqliteAttempts } from "../../../src/sql/sqlite/attempts.ts";
import { openSqlite } from "../../../src/sql/sqlite/engine.ts";
import { SqliteLog } from "../../../src/sql/sqlite/log.ts";
import { SqlitePool } from "../../../src/sql/sqlite/pool.ts";
import { day } from "../../licences/terms.ts";
import { openHistory } from "./history-process.ts";
import { nthAttemptAt } from "./plain-history.ts";

const attempts = (count: number, from: number) =>
  Array.from({ length: count }, (_, n) => nthAttemptAt(day(1), from + n, { organizationId: "acme" }));

describe("the log of SQLite", () => {
  let path: string;
  let log: SqliteLog;
  let history: SqliteAttempts;

  beforeEach(async () => {
    ({ path } = await openHistory());
    const pool = new SqlitePool(path);
    const { queries, close } = openSqlite(path);
    log = new SqliteLog(path, queries, pool);
    history = new SqliteAttempts(pool, queries, log);
    onTestFinished(async () => {
      await log.atRest();
      await pool.destroy();
      await close();
      await log.close();
    });
  });

  const logBytes = () => statSync(`${path}-wal`).size;
  /** Others write meanwhile. */
  const moved = async () => {
    await history.append(attempts(33_000, 0));
    let isAtRest = false;
    const atRest = log.atRest().then(() => {
      isAtRest = true;
    });
    for (let n = 33_000; !isAtRest; n += 1) await history.append(attempts(1, n));
    await atRest;
  };

  it("begins anew once it has been moved", async () => {
    await moved();
    const bytes = logBytes();
    expect(bytes).toBeGreaterThan(5_000_000);
    for (let n = 0; n < 10; n += 1) await history.append(attempts(1000, 100_000 + n * 1000));
    expect(logBytes()).toBe(bytes);
  });

  it.runIf(process.platform === "linux")("leaves the locks on the database alone", async () => {
    await moved();
    const { ino } = statSync(path);
    expect(readFileSync("/proc/locks", "utf8")).toMatch(new RegExp(`READ .*:${ino} `));
  });
});
