import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { skipUnless } from "../../harness/needs.ts";
import { childrenOf } from "../../harness/processes.ts";
import { Random } from "../../harness/random.ts";
import { Api } from "../api.ts";
import { createOperatorKey, install } from "../installation.ts";
import { Load } from "../load.ts";
import { Target } from "../target.ts";
import { findLost } from "../verify.ts";
import { canLimitMemory, MemoryGroup } from "./memory-group.ts";

const LIMIT_BYTES = 600_000_000;

const required = skipUnless(canLimitMemory(), "control groups");

describe("A service that runs out of memory", required, () => {
  it("replaces the process that the kernel kills, and loses nothing that was answered", async () => {
    using group = new MemoryGroup(LIMIT_BYTES);
    const dataDir = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    const operatorKey = await createOperatorKey({ dataDir });
    await using target = await Target.create({
      dataDir,
      databaseUrl: undefined,
      processes: 2,
      memoryGroupFile: group.membersFile,
    });
    await target.start();
    const supervisor = target.pid as number;
    for (const worker of await childrenOf(supervisor)) {
      expect(await killScore(worker)).toBeGreaterThan(await killScore(supervisor));
    }
    const operator = new Api(target.origin, operatorKey);
    const installation = await install(operator, operatorKey);
    const load = new Load(target.origin, installation, new Random(1));
    const running = load.run();
    await delay(1000);
    expect(group.kills).toBe(0);

    await group.exhaust();
    load.end();
    group.release();
    const round = await running;
    await target.start();
    await target.isComplete();

    expect(target.pid).toBe(supervisor);
    const customer = operator.withKey(installation.customerKey);
    const { lost } = await findLost(operator, customer, round, installation.versions);
    expect({ lost, unexpected: round.unexpected }).toEqual({ lost: [], unexpected: [] });
    expect(round.answered.download).toBeGreaterThan(0);
    await target.stop();
    await rm(dataDir, { recursive: true });
  });
});

/** The kernel prefers to kill processes with a higher score. */
async function killScore(pid: number): Promise<number> {
  return Number(await readFile(`/proc/${pid}/oom_score_adj`, "utf8"));
}
