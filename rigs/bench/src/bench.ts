import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One run of a group of benchmarks. */
export class Bench implements AsyncDisposable {
  /** Runs one short round with little data, as a smoke test. The results are meaningless. */
  readonly isQuick: boolean;
  readonly directory: string;
  #directories = 0;

  private constructor(isQuick: boolean, directory: string) {
    this.isQuick = isQuick;
    this.directory = directory;
  }

  static async open(isQuick: boolean): Promise<Bench> {
    return new Bench(isQuick, await mkdtemp(join(tmpdir(), "dbdepot-bench-")));
  }

  get rounds(): number {
    return this.isQuick ? 1 : 3;
  }

  newPath(name: string): string {
    this.#directories += 1;
    return join(this.directory, `${this.#directories}-${name}`);
  }

  log(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }
}
