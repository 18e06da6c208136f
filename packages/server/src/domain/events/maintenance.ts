import type { Clock } from "../../platform/primitives/clock.ts";
import type { Store } from "../store.ts";
import { announceEnds } from "./reminders.ts";

const INTERVAL_MS = 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Long enough for a client or webhook to catch up after weeks. */
const EVENTS_KEPT_DAYS = 30;

/** Sends the reminders that are due and removes old events, now and every minute. Every replica runs it. */
export function startEventMaintenance(
  store: Store,
  clock: Clock,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  run();
  const timer = setInterval(run, INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };

  function run(): void {
    running ??= maintain()
      .catch(onFailure)
      .finally(() => {
        running = undefined;
      });
  }

  async function maintain(): Promise<void> {
    const now = clock();
    await announceEnds(store, now);
    await store.events.removeBefore(new Date(now.getTime() - EVENTS_KEPT_DAYS * DAY_MS));
  }
}
