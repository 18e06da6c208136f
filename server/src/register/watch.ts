import type { Register } from "./register.ts";

/** How often a register asks for changes: every one holds everywhere within a second. */
const POLL_INTERVAL_MS = 250;

export interface Watch {
  /** How long ago the register was last known to be up to date. */
  staleMs(): number;
  stop(): Promise<void>;
}

/** Keeps a register up to date. While the database is out of reach it goes on with what it has. */
export function watchRegister(register: Register, onTrouble: (error: unknown) => void): Watch {
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
    staleMs: () => performance.now() - lastGood,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
