import { randomBytes } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { syncDirectory } from "@dbdepot/durable-files/sync-directory";

/** Files that come to their names together, at the end, or not at all. */
export class Staging {
  readonly #dir: string;
  readonly #suffix = `.${randomBytes(6).toString("hex")}.part`;
  readonly #names = new Set<string>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Where to write the file until then: the same folder, since a rename is safe only within one file system. */
  pathOf(name: string): string {
    this.#names.add(name);
    return join(this.#dir, `.${name}${this.#suffix}`);
  }

  finalPath(name: string): string {
    return join(this.#dir, name);
  }

  /** Renames in the order given: who sees the last name finds the others too. */
  async publish(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await rename(this.pathOf(name), this.finalPath(name));
      this.#names.delete(name);
    }
    await syncDirectory(this.#dir);
  }

  /** Removes what was not published. */
  async discard(): Promise<void> {
    await Promise.all([...this.#names].map((name) => rm(this.pathOf(name), { force: true })));
  }
}
