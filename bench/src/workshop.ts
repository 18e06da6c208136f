import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Loader } from "./load.ts";
import type { Options } from "./options.ts";
import type { Tools } from "./tools.ts";

/** What rows work with: a folder of this run, the tools, and things that several rows share. */
export class Workshop implements AsyncDisposable {
  readonly folder: string;
  readonly options: Options;
  readonly tools: Tools;
  readonly #shared = new Map<string, Promise<unknown>>();
  #endings = new AsyncDisposableStack();
  #folders = 0;

  private constructor(folder: string, options: Options, tools: Tools) {
    this.folder = folder;
    this.options = options;
    this.tools = tools;
  }

  static async open(options: Options, tools: Tools): Promise<Workshop> {
    return new Workshop(await mkdtemp(join(tmpdir(), "dbdepot-bench-")), options, tools);
  }

  get loader(): Loader {
    return this.tools.wrk ? "wrk" : "autocannon";
  }

  get rounds(): number {
    return this.options.rounds;
  }

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  newFolder(name: string): string {
    this.#folders += 1;
    return join(this.folder, `${name}-${this.#folders}`);
  }

  /** Made when first asked for; ended when the workshop is cleared. */
  shared<T>(name: string, make: () => Promise<T>): Promise<T> {
    let made = this.#shared.get(name) as Promise<T> | undefined;
    if (!made) {
      made = make().then((thing) => {
        if (isDisposable(thing)) this.#endings.use(thing);
        return thing;
      });
      this.#shared.set(name, made);
    }
    return made;
  }

  /** Ends what rows have shared and removes their files: what comes next has the machine for itself. */
  async clear(): Promise<void> {
    const endings = this.#endings;
    this.#endings = new AsyncDisposableStack();
    this.#shared.clear();
    await endings.disposeAsync();
    for (const name of await readdir(this.folder)) await rm(join(this.folder, name), { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endings.disposeAsync();
    await rm(this.folder, { recursive: true, force: true });
  }
}

function isDisposable(thing: unknown): thing is AsyncDisposable {
  return typeof thing === "object" && thing !== null && Symbol.asyncDispose in thing;
}
