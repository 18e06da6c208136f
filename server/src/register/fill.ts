import { setTimeout as delay } from "node:timers/promises";
import type { Register } from "./register.ts";

const RETRY_MS = 500;

/**
 * Takes all keys into a register, in the background, so that a start does not wait for a million of them. A database
 * that fails meanwhile, or that is new and holds none, is asked again later; until then keys are looked up.
 */
export function fillKeys(
  register: Pick<Register, "takeInKeys" | "hasAllKeys">,
  onTrouble: (error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isInTrouble = false;
  const takeIn = async () => {
    try {
      const isTakenIn = await register.takeInKeys();
      isInTrouble = false;
      return isTakenIn;
    } catch (error) {
      // Said once, not at every attempt.
      if (!isInTrouble) onTrouble(error);
      isInTrouble = true;
      return false;
    }
  };
  const fill = async () => {
    while (!register.hasAllKeys && !signal.aborted) {
      if (!(await takeIn())) await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  };
  const filling = fill();
  return {
    async stop() {
      stopping.abort();
      await filling;
    },
  };
}
