import type { Register } from "./register.ts";

/** How often a register asks for changes: every one holds everywhere within a second. */
const POLL_INTERVAL_MS = 250;

export interface Watch {
  /** The database does not answer: what is not in memory cannot be looked up. */
  isOutOfReach(): boolean;
  /** And that for so long that what is in memory is no longer believed. */
  isBeyondGrace(): boolean;
  stop(): Promise<void>;
}

/** Keeps a register up to date. While the database is out of reach it goes on with what it has, for `graceSeconds`. */
export function watchRegister(register: Register, graceSeconds: number, onTrouble: (error: unknown) => void): Watch {
  let lastGood = performance.now();
  let isInTrouble = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const poll = async () => {
    try {
      await register.refresh();
      lastGood = performance.now();
      isInTrouble = false;
    } catch (error) {
      // Said once for each outage, not four times a second.
      if (!isInTrouble) onTrouble(error);
      isInTrouble = true;
    }
    schedule();
  };
  const schedule = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = poll();
    }, POLL_INTERVAL_MS);
    timer.unref();
  };
  schedule();
  return {
    isOutOfReach: () => isInTrouble,
    isBeyondGrace: () => isInTrouble && performance.now() - lastGood > graceSeconds * 1000,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
