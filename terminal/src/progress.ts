import { progressBar, progressText } from "./progress-line.ts";
import { PROCESS } from "./surroundings.ts";

/** How often it is said anew: on a terminal, and where lines stay (a log, a pipe). */
export const BAR_INTERVAL_MS = 100;
export const LINE_INTERVAL_MS = 5000;
const CLEAR_LINE = "\r\x1b[K";

export interface ProgressOptions {
  /** What is being done, like "publishing vpn_ip_v1". */
  label: string;
  /** Undefined when it cannot be known: then it is told how much and how fast, and no more. */
  total: number | undefined;
  /** How amounts are written; left out: in bytes. */
  unit?(amount: number): string;
  say(text: string): void;
  /** How wide the terminal is; null where there is none. Left out: as this process's standard error has it. */
  columns?: number | null;
  nowMs?(): number;
}

/** Tells people how far something is: a bar on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #columns: number | null;
  readonly #startMs: number;
  #saidMs: number;
  #done = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#columns = options.columns === undefined ? (PROCESS.errColumns ?? null) : options.columns;
    this.#startMs = this.#nowMs();
    this.#saidMs = this.#startMs;
  }

  /** So much more. */
  advance(amount: number): void {
    this.reach(this.#done + amount);
  }

  /** So much in all. */
  reach(done: number): void {
    this.#done = done;
    const nowMs = this.#nowMs();
    if (nowMs - this.#saidMs < (this.#columns === null ? LINE_INTERVAL_MS : BAR_INTERVAL_MS)) return;
    this.#saidMs = nowMs;
    const { label, total, unit, say } = this.#options;
    const reached = { label, done, total, unit, perSecond: (1000 * done) / (nowMs - this.#startMs) };
    if (this.#columns === null) say(`${progressText(reached)}\n`);
    else say(`${CLEAR_LINE}${progressBar(reached, this.#columns)}`);
  }

  /** To be called in any case: what comes next must not stand behind half a line. */
  end(): void {
    if (this.#columns !== null) this.#options.say(CLEAR_LINE);
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }
}
