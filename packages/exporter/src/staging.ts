import { randomBytes } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@dbdepot/formats/durable-files";

/** Files that get their final names together at the end, or not at all. */
export class Staging {
  readonly #dir: string;
  readonly #suffix = `.${randomBytes(6).toString("hex")}.part`;
  readonly #names = new Set<string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The temporary path, in the same directory because a rename is atomic only within one file system. */
  pathOf(name: string): string {
    this.#names.add(name);
    return join(this.#dir, `.${name}${this.#suffix}`);
  }

  finalPath(name: string): string {
    return join(this.#dir, name);
  }

  /** Renames in this order, so that the others exist when the last one does. */
  async publish(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rename(this.pathOf(name), this.finalPath(name));
      this.#names.delete(name);
    }
    await syncDirectory(this.#dir);
  }

  /** Deletes files that were not renamed. */
  async discard(): Promise<void> {
    await Promise.all([...this.#names].map((name) => rm(this.pathOf(name), { force: true })));
  }
}
