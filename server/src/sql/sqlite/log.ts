import { type FileHandle, open } from "node:fs/promises";
import { type Kysely, sql } from "kysely";
import type { Schema } from "../schema.ts";
import type { SqlitePool } from "./pool.ts";

/** A commit logs some pages of 4 KB, and an attempt, when it is filed, at most one more: the log stays below 128 MB. */
const PAGES_PER_COMMIT = 4;
const PAGES_MAX = 32_768;

/**
 * The log that SQLite writes before its database, as far as the history makes it grow. It is moved into the database from
 * another connection than the history's, which goes on meanwhile.
 */
export class SqliteLog {
  readonly #path: string;
  readonly #queries: Kysely<Schema>;
  readonly #pool: Pick<SqlitePool, "keepHistoryApart">;
  #pages = 0;
  #moving: Promise<void> | undefined;
  #database: FileHandle | undefined;

  constructor(path: string, queries: Kysely<Schema>, pool: Pick<SqlitePool, "keepHistoryApart">) {
    this.#path = path;
    this.#queries = queries;
    this.#pool = pool;
  }

  /** By a commit of so many attempts. */
  grow(attempts: number): void {
    this.#pages += PAGES_PER_COMMIT + attempts;
    if (this.#pages < PAGES_MAX || this.#moving) return;
    this.#pages = 0;
    // Where it fails, the next one has more to do.
    this.#moving = this.#move()
      .catch((error: Error) => process.emitWarning(`the database's log could not be moved: ${error.message}`))
      .finally(() => {
        this.#moving = undefined;
      });
  }

  /** When it is no longer being moved. */
  async atRest(): Promise<void> {
    await this.#moving;
  }

  /** After all connections: the system drops a process's locks on a file as soon as any handle of it is closed. */
  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = undefined;
  }

  /**
   * The last step moves what has come in the meantime while nobody writes, so that the log begins anew instead of growing.
   * It also waits until all that was moved is on the disk, which held up downloads for 50 to 440 ms (measured with 10
   * million attempts). So most of it is brought there before, and what has come during that as well: 0 to 7 ms are left.
   */
  async #move(): Promise<void> {
    this.#pool.keepHistoryApart();
    this.#database ??= await open(this.#path, "r+");
    for (let step = 0; step < 2; step += 1) {
      await sql`pragma wal_checkpoint(passive)`.execute(this.#queries);
      await this.#database.datasync();
    }
    await sql`pragma wal_checkpoint(restart)`.execute(this.#queries);
  }
}
