import { BackgroundLoop } from "../../platform/primitives/background-loop.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { MINUTE_MS } from "../../platform/primitives/dates.ts";
import type { Store } from "../store.ts";
import { announceEnds } from "./reminders.ts";

const INTERVAL_MS = MINUTE_MS;

/** Sends the reminders that are due, now and every minute. Every replica runs it. */
export function startEventMaintenance(store: Store, clock: Clock, onFailure: (error: unknown) => void): BackgroundLoop {
  const loop = new BackgroundLoop({ run: () => announceEnds(store, clock()), intervalMs: INTERVAL_MS, onFailure });
  loop.startNow();
  return loop;
}
