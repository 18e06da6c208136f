import { describe, expect, it } from "vitest";
import { ReadinessCheck, type ReadinessSource } from "../../../src/adapters/monitoring/readiness.ts";

/** Everything works, except for what `changes` says. */
function check(changes: Partial<ReadinessSource> = {}): ReadinessCheck {
  return new ReadinessCheck({
    objects: { stat: async () => undefined },
    database: { isOutOfReach: () => false, isBeyondGrace: () => false, ageSeconds: () => 0.1 },
    spool: { depth: async () => 0 },
    history: { canRecord: async () => true },
    ...changes,
  });
}

describe("readiness", () => {
  it("stays ready within the grace period of a database outage, and says that the database is unreachable", async () => {
    const database = { isOutOfReach: () => true, isBeyondGrace: () => false, ageSeconds: () => 90 };
    const readiness = await check({ database, spool: { depth: async () => 3 } }).check();
    expect(readiness).toMatchObject({ status: "ready", database: { state: "unreachable" } });
    expect(readiness).toMatchObject({ register: { age_seconds: 90 }, spool: { files: 3 } });
  });

  it("is not ready after the grace period", async () => {
    const database = { isOutOfReach: () => true, isBeyondGrace: () => true, ageSeconds: () => 4000 };
    expect(await check({ database }).check()).toMatchObject({ status: "not_ready" });
  });

  it("is not ready while the server stops", async () => {
    const stopping = check();
    stopping.stop();
    expect(await stopping.check()).toMatchObject({ status: "not_ready", database: { state: "ok" } });
  });

  it("stays ready without storage, because links and polling still work", async () => {
    const objects = { stat: () => Promise.reject(new Error("connection refused")) };
    expect(await check({ objects }).check()).toMatchObject({ status: "ready", storage: { state: "unreachable" } });
  });

  it("is not ready while attempts cannot be stored", async () => {
    const history = { canRecord: async () => false };
    expect(await check({ history }).check()).toMatchObject({ status: "not_ready", history: { state: "unwritable" } });
  });

  it("asks the storage once for many requests", async () => {
    let calls = 0;
    const objects = {
      async stat() {
        calls += 1;
        return undefined;
      },
    };
    const shared = check({ objects });
    await Promise.all([shared.check(), shared.check()]);
    await shared.check();
    expect(calls).toBe(1);
  });
});
