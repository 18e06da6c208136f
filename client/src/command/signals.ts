type Listener = () => void;

/** What the system asks of a command while it runs. Nothing is listened to before somebody wants to know. */
export class Signals {
  readonly #listening: [signal: NodeJS.Signals, listener: Listener][] = [];
  #stop: AbortController | undefined;

  /** Aborted when the command shall end: by Ctrl-C, or by whoever manages the process. */
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
