import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { needs } from "../../harness/needs.ts";
import { Target } from "../target.ts";

const PROCESSES = 3;
const CLIENTS = 16;
const KILLS = 10;
const HUNG_MS = 60_000;

describe("Killing one of several processes", needs("Linux"), () => {
  it("breaks the connections that it had, and lets no other one hang", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
    await using target = await Target.create({ dataDir, databaseUrl: undefined, processes: PROCESSES });
    await target.start();
    const outcomes = { answered: 0, broken: 0, hung: 0 };
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) outcomes[await ask(`${target.origin}/healthz`)] += 1;
    });
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(500);
      await target.kill("worker", (workers) => workers[kill % workers.length] as number);
      await target.isComplete();
      await target.start(); // Waits until a process listens.
    }
    isOver = true;
    await Promise.all(clients);
    expect(outcomes.hung).toBe(0);
    expect(outcomes.answered).toBeGreaterThan(KILLS * CLIENTS);
    await target.stop();
    await rm(dataDir, { recursive: true });
  });
});

/** Sends a request on a new connection. */
function ask(url: string): Promise<"answered" | "broken" | "hung"> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false, timeout: HUNG_MS }, (response) => {
      response.on("error", () => resolve("broken"));
      response.on("end", () => resolve("answered")).resume();
    });
    request.on("timeout", () => {
      resolve("hung");
      request.destroy();
    });
    request.on("error", () => resolve("broken"));
  });
}
