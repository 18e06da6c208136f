const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** A signal stopped the command. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(outcome: string, exitCode: number) {
    super(`interrupted: ${outcome}`);
    this.exitCode = exitCode;
  }
}

/**
 * Runs work that Ctrl-C or SIGTERM aborts, so that it can clean up first. Then throws Interrupted with the `outcome`. A
 * second signal ends the process immediately.
 */
export async function interruptible<T>(outcome: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (name: keyof typeof EXIT_CODES) => controller.abort(new Interrupted(outcome, EXIT_CODES[name]));
  process.once("SIGINT", abort).once("SIGTERM", abort);
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    process.off("SIGINT", abort).off("SIGTERM", abort);
  }
}
