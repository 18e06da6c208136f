import { BackgroundLoop } from "../platform/primitives/background-loop.ts";
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
  const ageSeconds = () => (performance.now() - lastSuccess) / 1000;
  const loop = new BackgroundLoop({
    async run() {
      await register.refresh();
      lastSuccess = performance.now();
    },
    intervalMs: POLL_INTERVAL_MS,
    onOutage,
  });
  loop.start();
  return {
    isOutOfReach: () => loop.isFailing,
    isBeyondGrace: () => loop.isFailing && ageSeconds() > graceSeconds,
    ageSeconds,
    stop: () => loop.stop(),
  };
}
