import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { ThreadAnswer } from "./answering.ts";

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** A thread that holds a connection of its own (answering.ts is its other end). It answers in the order in which it is asked. */
export class SqliteThread<Request, Answer> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Answer>[] = [];
  #failure: Error | undefined;

  constructor(file: "query-thread" | "history-thread", path: string) {
    this.#worker = new Worker(new URL(`./${file}${extname(import.meta.url)}`, import.meta.url), {
      workerData: { path },
      // Some room for young objects, and not as much as a thread would take otherwise.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    });
    this.#worker.unref();
    this.#worker.on("message", (answer: ThreadAnswer<Answer>) => this.#settle(answer));
    this.#worker.on("error", (error: Error) => this.#failAll(error));
  }

  ask(request: Request): Promise<Answer> {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      // A process waits for its queries, but an idle thread does not keep it alive.
      if (this.#waiting.length === 0) this.#worker.ref();
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    if (this.#failure) return;
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.ref();
    this.#worker.postMessage("close");
    await ended;
  }

  #settle(answer: ThreadAnswer<Answer>): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    if ("fault" in answer) {
      waiting?.reject(Object.assign(new Error(answer.fault.message), { code: answer.fault.code }));
    } else {
      waiting?.resolve(answer.result);
    }
  }

  #failAll(error: Error): void {
    this.#failure = error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }
}
