import { sanitize } from "./control-characters.ts";
import { progressBar, progressText, type TaskState } from "./progress-bar.ts";
import { displayWidth } from "./width.ts";

/** How often bars are redrawn on a terminal, and how often a line is printed elsewhere. */
const BAR_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5000;
/** More bars than this are hard to read and may not fit the terminal. */
const BARS_MAX = 8;

export interface ProgressOptions {
  write(text: string): void;
  /** Width of the terminal, or undefined without a terminal: then a line is printed at intervals. */
  columns(): number | undefined;
  nowMs?(): number;
}

export interface Task {
  /** Sets the amount done. `skipped` is the part that was already done before; it does not count towards the speed. */
  update(done: number, total?: number, skipped?: number): void;
  /** Adds to the amount done. */
  advance(amount: number): void;
  end(): void;
}

interface RunningTask extends Omit<TaskState, "perSecond"> {
  skipped: number;
  startMs: number;
}

/** Shows the progress of tasks: on a terminal as one bar for each task and one for the total, elsewhere as lines. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #running = new Set<RunningTask>();
  /** Finished tasks count towards the total until no task is running. */
  #ended = { done: 0, total: 0, skipped: 0 };
  #startMs = 0;
  #drawnMs = 0;
  #linesDrawn = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
  }

  begin(label: string, { total, unit }: Pick<Partial<TaskState>, "total" | "unit"> = {}): Task {
    const nowMs = this.#nowMs();
    if (this.#running.size === 0) {
      this.#ended = { done: 0, total: 0, skipped: 0 };
      this.#startMs = nowMs;
      this.#drawnMs = nowMs;
    }
    const task: RunningTask = { label: sanitize(label), done: 0, total, unit, skipped: 0, startMs: nowMs };
    this.#running.add(task);
    return {
      update: (done, newTotal = task.total, skipped = 0) => {
        Object.assign(task, { done, total: newTotal, skipped });
        this.#drawIfDue();
      },
      advance: (amount) => {
        task.done += amount;
        this.#drawIfDue();
      },
      end: () => {
        if (!this.#running.delete(task)) return;
        this.#ended.done += task.done;
        this.#ended.total += task.total ?? task.done;
        this.#ended.skipped += task.skipped;
        this.erase();
      },
    };
  }

  #drawIfDue(): void {
    const columns = this.#options.columns();
    const nowMs = this.#nowMs();
    if (nowMs - this.#drawnMs < (columns === undefined ? LINE_INTERVAL_MS : BAR_INTERVAL_MS)) return;
    this.#drawnMs = nowMs;
    const tasks = [...this.#running].map((task) => withSpeed(task, nowMs - task.startMs));
    if (columns === undefined) {
      for (const task of tasks) this.#options.write(`${progressText(task)}\n`);
      return;
    }
    const shown = tasks.length > 1 ? [...tasks.slice(0, BARS_MAX), this.#sum(nowMs)] : tasks;
    this.erase();
    const textColumns = Math.max(...shown.map((task) => displayWidth(progressText(task))));
    this.#options.write(shown.map((task) => progressBar(task, columns, textColumns)).join("\n"));
    this.#linesDrawn = shown.length;
  }

  #sum(nowMs: number): TaskState {
    const tasks = [...this.#running];
    const isKnown = tasks.every(({ total }) => total !== undefined);
    const add = (field: "done" | "total" | "skipped") =>
      tasks.reduce((sum, task) => sum + (task[field] ?? 0), this.#ended[field]);
    const all = { label: `all ${tasks.length}`, done: add("done"), skipped: add("skipped") };
    return withSpeed({ ...all, total: isKnown ? add("total") : undefined }, nowMs - this.#startMs);
  }

  /** Erases the bars until the next update. The cursor is at the end of the last one. */
  erase(): void {
    if (this.#linesDrawn === 0) return;
    const up = this.#linesDrawn > 1 ? `\x1b[${this.#linesDrawn - 1}A` : "";
    this.#options.write(`\r${up}\x1b[J`);
    this.#linesDrawn = 0;
  }

  #nowMs(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }
}

function withSpeed(task: Omit<TaskState, "perSecond"> & { skipped: number }, elapsedMs: number): TaskState {
  return { ...task, perSecond: elapsedMs > 0 ? (1000 * (task.done - task.skipped)) / elapsedMs : 0 };
}
