import type { Clock } from "../../platform/primitives/clock.ts";
import type { Store } from "../store.ts";
import { announceEnds } from "./reminders.ts";

const INTERVAL_MS = 60 * 1000;

/** Sends the reminders that are due, now and every minute. Every replica runs it. */
export function startEventMaintenance(
  store: Store,
  clock: Clock,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<unknown> | undefined;
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
    running ??= announceEnds(store, clock())
      .catch(onFailure)
      .finally(() => {
        running = undefined;
      });
  }
}
