/** How often it is said anew: on a terminal, and where lines stay (a log, a pipe). */
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5000;
const BAR_WIDTH = 24;
const CLEAR_LINE = "\r\x1b[K";
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export interface ProgressOptions {
  /** What is being done, like "publishing vpn_ip_v1". */
  label: string;
  /** Undefined when it cannot be known: then it is told how much and how fast, and no more. */
  total: number | undefined;
  /** How amounts are written; left out: in bytes. */
  unit?(amount: number): string;
  say(text: string): void;
  isTerminal?: boolean;
  nowMs?(): number;
}

/** Tells people how far something is: a bar on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #isTerminal: boolean;
  readonly #startMs: number;
  #saidMs: number;
  #done = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#isTerminal = options.isTerminal ?? process.stderr.isTTY === true;
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
    if (nowMs - this.#saidMs < (this.#isTerminal ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)) return;
    this.#saidMs = nowMs;
    const line = this.#line((nowMs - this.#startMs) / 1000);
    this.#options.say(this.#isTerminal ? `${CLEAR_LINE}${line}${this.#bar()}` : `${line}\n`);
  }

  /** To be called in any case: what comes next must not stand behind half a line. */
  end(): void {
    if (this.#isTerminal) this.#options.say(CLEAR_LINE);
  }

  #line(elapsedSeconds: number): string {
    const { label, total, unit = inBytes } = this.#options;
    const perSecond = this.#done / elapsedSeconds;
    if (!total) return `${label}: ${unit(this.#done)}, ${unit(perSecond)}/s`;
    const percent = Math.floor((100 * this.#done) / total);
    const leftSeconds = perSecond > 0 ? (total - this.#done) / perSecond : 0;
    return `${label}: ${percent} % of ${unit(total)}, ${unit(perSecond)}/s, ${inTime(leftSeconds)} left`;
  }

  #bar(): string {
    const { total } = this.#options;
    if (!total) return "";
    const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * this.#done) / total));
    return ` [${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}]`;
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }
}

export function inBytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

export function inRows(count: number): string {
  return `${Math.round(count)} rows`;
}

function inTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
