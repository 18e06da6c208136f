type Listener = () => void;

/** Signals to the process. A handler is installed only when a command needs it. */
export class Signals {
  readonly #listening: [signal: NodeJS.Signals, listener: Listener][] = [];
  #stop: AbortController | undefined;

  /** Aborted by SIGINT (Ctrl-C) and SIGTERM. */
  get stop(): AbortSignal {
    if (!this.#stop) {
      const stop = new AbortController();
      this.#stop = stop;
      for (const signal of ["SIGINT", "SIGTERM"] as const) this.on(signal, () => stop.abort());
    }
    return this.#stop.signal;
  }

  on(signal: NodeJS.Signals, listener: Listener): void {
    process.on(signal, listener);
    this.#listening.push([signal, listener]);
  }

  close(): void {
    for (const [signal, listener] of this.#listening) process.off(signal, listener);
  }
}
