import { BAR_INTERVAL_MS, LINE_INTERVAL_MS } from "./progress.ts";
import { progressBar, progressText, type Reached } from "./progress-line.ts";
import { widthOf } from "./width.ts";

export interface BoardOptions {
  say(text: string): void;
  /** How wide the terminal is; undefined where there is none: then it is a line now and then. */
  columns(): number | undefined;
  nowMs?(): number;
}

/** One of several things that go on at the same time. */
export interface Task {
  /** So much in all; `skipped` of it was there before and says nothing about the speed. */
  reach(done: number, total: number | undefined, skipped?: number): void;
  end(): void;
}

interface Running extends Omit<Reached, "perSecond"> {
  skipped: number;
  startMs: number;
}

/** More bars than this say less, and might not fit the screen. */
const BARS_MAX = 8;

/** Tells people how far several things are: a bar each and one for all on a terminal, lines elsewhere. */
export class ProgressBoard {
  readonly #options: BoardOptions;
  readonly #running = new Set<Running>();
  /** What has ended counts on in the sum, until nothing runs any more. */
  #ended = { done: 0, total: 0, skipped: 0 };
  #startMs = 0;
  #saidMs = 0;
  #linesDrawn = 0;

  constructor(options: BoardOptions) {
    this.#options = options;
  }

  begin(label: string): Task {
    const nowMs = this.#nowMs();
    if (this.#running.size === 0) {
      this.#ended = { done: 0, total: 0, skipped: 0 };
      this.#startMs = nowMs;
      this.#saidMs = nowMs;
    }
    const task: Running = { label, done: 0, total: undefined, skipped: 0, startMs: nowMs };
    this.#running.add(task);
    return {
      reach: (done, total, skipped = 0) => {
        Object.assign(task, { done, total, skipped });
        this.#sayNowAndThen();
      },
      end: () => {
        if (!this.#running.delete(task)) return;
        this.#ended.done += task.done;
        this.#ended.total += task.total ?? task.done;
        this.#ended.skipped += task.skipped;
        this.#erase();
      },
    };
  }

  /** A line that stays, above the bars. */
  print(line: string): void {
    this.#erase();
    this.#options.say(line);
  }

  #sayNowAndThen(): void {
    const columns = this.#options.columns();
    const nowMs = this.#nowMs();
    if (nowMs - this.#saidMs < (columns === undefined ? LINE_INTERVAL_MS : BAR_INTERVAL_MS)) return;
    this.#saidMs = nowMs;
    const tasks = [...this.#running].map((task) => withSpeed(task, nowMs - task.startMs));
    if (columns === undefined) {
      for (const task of tasks) this.#options.say(`${progressText(task)}\n`);
      return;
    }
    const shown = tasks.length > 1 ? [...tasks.slice(0, BARS_MAX), this.#sum(nowMs)] : tasks;
    this.#erase();
    const textColumns = Math.max(...shown.map((task) => widthOf(progressText(task))));
    this.#options.say(shown.map((task) => progressBar(task, columns, textColumns)).join("\n"));
    this.#linesDrawn = shown.length;
  }

  #sum(nowMs: number): Reached {
    const tasks = [...this.#running];
    const isKnown = tasks.every(({ total }) => total !== undefined);
    const add = (field: "done" | "total" | "skipped") =>
      tasks.reduce((sum, task) => sum + (task[field] ?? 0), this.#ended[field]);
    const all = { label: `all ${tasks.length}`, done: add("done"), skipped: add("skipped") };
    return withSpeed({ ...all, total: isKnown ? add("total") : undefined }, nowMs - this.#startMs);
  }

  /** Takes the bars away. The cursor stands behind the last one. */
  #erase(): void {
    if (this.#linesDrawn === 0) return;
    const up = this.#linesDrawn > 1 ? `\x1b[${this.#linesDrawn - 1}A` : "";
    this.#options.say(`\r${up}\x1b[J`);
    this.#linesDrawn = 0;
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }
}

function withSpeed(task: Omit<Reached, "perSecond"> & { skipped: number }, elapsedMs: number): Reached {
  return { ...task, perSecond: elapsedMs > 0 ? (1000 * (task.done - task.skipped)) / elapsedMs : 0 };
}
