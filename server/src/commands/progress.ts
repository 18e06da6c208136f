/** How often a line is renewed: on a terminal, and where lines stay (a log, a pipe). */
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5000;
const BAR_WIDTH = 24;
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export interface ProgressOptions {
  /** What is being done, like "publishing vpn_ip_v1". */
  label: string;
  /** Undefined when it cannot be known: then there is no bar, only how much and how fast. */
  totalBytes: number | undefined;
  say(text: string): void;
  isTerminal?: boolean;
  nowMs?: () => number;
}

/** Tells people how far something is: a bar on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #isTerminal: boolean;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #saidMs: number;
  #doneBytes = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#isTerminal = options.isTerminal ?? process.stderr.isTTY === true;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#startMs = this.#nowMs();
    this.#saidMs = this.#startMs;
  }

  /** So many bytes more. */
  advance(bytes: number): void {
    this.#doneBytes += bytes;
    const intervalMs = this.#isTerminal ? BAR_INTERVAL_MS : LINE_INTERVAL_MS;
    if (this.#nowMs() - this.#saidMs < intervalMs) return;
    this.#saidMs = this.#nowMs();
    this.#say(this.#isTerminal ? this.#bar() : this.#line());
  }

  /** To be called in any case: what comes next must not stand behind half a bar. */
  end(): void {
    if (this.#isTerminal) this.#options.say("\r\x1b[K");
  }

  #say(text: string): void {
    this.#options.say(this.#isTerminal ? `\r${text}\x1b[K` : `${text}\n`);
  }

  #bar(): string {
    const { totalBytes } = this.#options;
    if (!totalBytes) return this.#line();
    const filled = Math.min(BAR_WIDTH, Math.floor((BAR_WIDTH * this.#doneBytes) / totalBytes));
    return `${this.#line()} [${"#".repeat(filled)}${".".repeat(BAR_WIDTH - filled)}]`;
  }

  #line(): string {
    const { label, totalBytes } = this.#options;
    const elapsedSeconds = (this.#nowMs() - this.#startMs) / 1000;
    const bytesPerSecond = elapsedSeconds > 0 ? this.#doneBytes / elapsedSeconds : 0;
    const speed = `${inBytes(bytesPerSecond)}/s`;
    if (!totalBytes) return `${label}: ${inBytes(this.#doneBytes)}, ${speed}`;
    const percent = Math.floor((100 * this.#doneBytes) / totalBytes);
    const leftSeconds = bytesPerSecond > 0 ? (totalBytes - this.#doneBytes) / bytesPerSecond : 0;
    return `${label}: ${percent} % of ${inBytes(totalBytes)}, ${speed}, ${inTime(leftSeconds)} left`;
  }
}

export function inBytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10));
  return `${(count / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}

function inTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
