import type { Register } from "./register.ts";

/** Short enough that every change takes effect within a second. */
const POLL_INTERVAL_MS = 250;

export interface Watch {
  /** The database doesn't respond, so only what is in memory can be looked up. */
  isOutOfReach(): boolean;
  /** The outage has lasted for longer than the grace period: what is in memory is too old to be trusted. */
  isBeyondGrace(): boolean;
  /** Time since the register was last known to be up to date. */
  ageSeconds(): number;
  stop(): Promise<void>;
}

/** Refreshes a register periodically. During a database outage the register keeps serving for `graceSeconds`. */
export function watchRegister(
  register: Pick<Register, "refresh">,
  graceSeconds: number,
  onOutage: (error: unknown) => void,
): Watch {
  let lastSuccess = performance.now();
  let isOutage = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let polling = Promise.resolve();
  schedule();
  return {
    isOutOfReach: () => isOutage,
    isBeyondGrace: () => isOutage && ageSeconds() > graceSeconds,
    ageSeconds,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await polling;
    },
  };

  function ageSeconds(): number {
    return (performance.now() - lastSuccess) / 1000;
  }

  function schedule(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      polling = poll();
    }, POLL_INTERVAL_MS);
    timer.unref();
  }

  async function poll(): Promise<void> {
    try {
      await register.refresh();
      lastSuccess = performance.now();
      isOutage = false;
    } catch (error) {
      // Report an outage once, not at every poll.
      if (!isOutage) onOutage(error);
      isOutage = true;
    }
    schedule();
  }
}
