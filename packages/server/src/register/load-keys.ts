import { setTimeout as delay } from "node:timers/promises";
import type { Register } from "./register.ts";

const RETRY_MS = 500;

/** Loads all keys into a register in the background, so that a start doesn't wait for a million of them. */
export function loadKeys(
  register: Pick<Register, "loadNextKeys" | "hasAllKeys">,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loading = load();
  return {
    async stop() {
      stopping.abort();
      await loading;
    },
  };

  async function load(): Promise<void> {
    let isFailing = false;
    while (!register.hasAllKeys && !signal.aborted) {
      try {
        await register.loadNextKeys();
        isFailing = false;
      } catch (error) {
        // Report an outage once, not at every retry.
        if (!isFailing) onError(error);
        isFailing = true;
        await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }
}
