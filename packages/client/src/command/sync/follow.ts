import type { ServiceEvent } from "../../api/events.ts";
import type { DbdepotClient } from "../../client.ts";
import { DbdepotError } from "../../errors.ts";
import { pause } from "./watch.ts";

/** How long the first round waits for the stream. Events that happen before the round starts need no second round. */
const CONNECT_MS = 3000;
/** How often to look for an event stream if the service has none. Meanwhile, rounds run at the usual interval. */
const RETRY_MS = 5 * 60 * 1000;

export interface FollowOptions {
  /** The current client, because its key may change. */
  client: () => Pick<DbdepotClient, "events">;
  isRelevant(event: ServiceEvent): boolean;
  signal: AbortSignal;
  log(message: string): void;
  /** How long to wait before looking for the stream again after it failed (default: 5 minutes). */
  retryMs?: number;
}

/**
 * Follows the service's events in the background and calls `wake` for those that matter. If the service has no event
 * stream, it tries again from time to time. Resolves when the stream is open, or after a short time without one.
 */
export async function followEvents(wake: () => void, options: FollowOptions): Promise<void> {
  const waiting = new AbortController();
  // It runs in the background and never rejects.
  void followForever(wake, waiting, options);
  await pause(CONNECT_MS, AbortSignal.any([waiting.signal, options.signal]));
  waiting.abort();
}

async function followForever(wake: () => void, waiting: AbortController, options: FollowOptions): Promise<void> {
  const { client, isRelevant, signal, log, retryMs = RETRY_MS } = options;
  let lastEventId: string | undefined;
  while (!signal.aborted) {
    try {
      for await (const event of client().events({ lastEventId, signal })) {
        lastEventId = event.id ?? undefined;
        log(event.type === "reset" ? "following events" : `event: ${event.type}`);
        // While the first round waits, it need not be woken: it will see the change.
        if (waiting.signal.aborted && isRelevant(event)) wake();
        waiting.abort();
      }
    } catch (error) {
      if (signal.aborted) return;
      log(`no events, so new builds are found in the next round: ${messageOf(error)}`);
    }
    waiting.abort();
    await pause(retryMs, signal);
  }
}

function messageOf(error: unknown): string {
  return error instanceof DbdepotError ? error.message : String(error);
}
