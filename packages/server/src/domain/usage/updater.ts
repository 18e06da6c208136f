import { randomUUID } from "node:crypto";
import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import type { UsageStore } from "./store.ts";
import { updateUsage } from "./update.ts";

/** The database says when an update is due, so that all servers together make one a minute. */
const POLL_MS = 10_000;

interface UpdaterOptions {
  usage: UsageStore;
  clock: Clock;
  /** Called after every update. */
  onUpdate(seconds: number): void;
  onFailure(error: unknown): void;
}

/** Keeps the totals up to date. Every process runs it, but only one of them at a time updates them. */
export function startUsageUpdates({ usage, clock, onUpdate, onFailure }: UpdaterOptions): BackgroundLoop {
  const by = randomUUID();
  const loop = new BackgroundLoop({ run: update, intervalMs: POLL_MS, onFailure });
  loop.start();
  return loop;

  async function update(): Promise<void> {
    const startMs = performance.now();
    if (await updateUsage({ usage, clock, by, signal: loop.signal })) {
      onUpdate((performance.now() - startMs) / 1000);
    }
  }
}
