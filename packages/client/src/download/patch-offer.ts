import type { FileChecksums } from "../api/link.ts";
import { pause } from "../api/retry.ts";
import { DbdepotError } from "../errors.ts";

type Offer = Pick<FileChecksums, "patch" | "isPatchPending">;

const UNKNOWN: Offer = { patch: null, isPatchPending: false };

const POLL_MS = 2000;
/** The service decides how long clients wait. This only limits a service that never makes its patch. */
const WAIT_MAX_MS = 10 * 60_000;

/**
 * Whether there is a patch, for which it waits while the service is making it. A client that reacts to a new build at once
 * would otherwise download the whole file.
 */
export async function isPatchOffered(
  ask: () => Promise<Offer>,
  { signal, onPatchWait }: { signal?: AbortSignal | undefined; onPatchWait?: (() => void) | undefined },
): Promise<boolean> {
  let offer = await answer(ask);
  if (!offer.patch && offer.isPatchPending) onPatchWait?.();
  const deadlineMs = performance.now() + WAIT_MAX_MS;
  while (!offer.patch && offer.isPatchPending && performance.now() < deadlineMs) {
    // Clients that learned of the build together should not ask together.
    await pause(POLL_MS * (0.75 + Math.random() / 2), signal);
    offer = await answer(ask);
  }
  return offer === UNKNOWN || offer.patch !== null;
}

/** A refusal is left to the request for the link, which the service records in the history. */
async function answer(ask: () => Promise<Offer>): Promise<Offer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DbdepotError && !error.retryable && error.kind !== "aborted") return UNKNOWN;
    throw error;
  }
}
