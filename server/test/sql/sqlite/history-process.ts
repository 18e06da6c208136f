import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished } from "vitest";
import type { Attempt } from "../../../src/downloads/attempt.ts";
import { ATTEMPT_COLUMN_NAMES } from "../../../src/sql/attempt-columns.ts";
import { openStore } from "../../../src/sql/open.ts";
import { SqliteHistory } from "../../../src/sql/sqlite/history.ts";
import { Unfiled } from "../../../src/sql/sqlite/unfiled.ts";
import type { Store } from "../../../src/store.ts";
import { PlainHistory, toValues } from "./plain-history.ts";

export const ORGANIZATIONS = ["acme", "globex", "initech"];
/** Every tenth attempt begins a filing, of three at a time. */
const PACE = { perOrganization: 1, atLeast: 10, portion: 3 };
const STEPS_MAX = 10_000;

/** A database of which the test's `HistoryProcess`es write and file the history, with what should be in it. */
export interface SharedHistory {
  path: string;
  store: Store;
  plain: PlainHistory;
  start(): HistoryProcess;
}

export async function openHistory(): Promise<SharedHistory> {
  const folder = await mkdtemp(join(tmpdir(), "dbdepot-test-"));
  const path = join(folder, "dbdepot.sqlite");
  empty ??= await migratedDatabase(path);
  await writeFile(path, empty);
  const store = await openStore({ engine: "sqlite", path });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const plain = new PlainHistory();
  return { path, store, plain, start: () => new HistoryProcess(path, plain) };
}

/** Made once: that takes longer than most of the tests. */
let empty: Buffer | undefined;

async function migratedDatabase(path: string): Promise<Buffer> {
  const store = await openStore({ engine: "sqlite", path });
  await store.migrate();
  await store.close();
  return readFile(path);
}

/** A connection of its own, as of one process among several. */
export class HistoryProcess {
  readonly database: DatabaseSync;
  readonly history: SqliteHistory;
  readonly #plain: PlainHistory;
  readonly #unfiled = new Unfiled();

  constructor(path: string, plain: PlainHistory) {
    this.database = new DatabaseSync(path);
    this.database.exec("pragma synchronous = off");
    this.history = new SqliteHistory(this.database, PACE, this.#unfiled);
    this.#plain = plain;
    onTestFinished(() => this.end());
  }

  append(attempts: readonly Attempt[]): void {
    this.history.append(attempts.map(toValues));
    this.#plain.append(attempts);
  }

  /** One step after the other, until there is no more to do. */
  workThrough(look = () => {}): number {
    let steps = 1;
    for (; this.history.work(); steps += 1) {
      if (steps > STEPS_MAX) throw new Error("there is no end to the work");
      look();
    }
    return steps;
  }

  /** Leaves a filing in the middle. */
  workUntilFiled(count: number): void {
    for (let steps = 1; this.filed < count; steps += 1) {
      if (steps > STEPS_MAX) throw new Error("nothing is filed");
      this.history.work();
    }
  }

  end(): void {
    if (this.database.isOpen) this.database.close();
  }

  number(sql: string): number {
    return Number(Object.values(this.database.prepare(sql).get() ?? {})[0]);
  }

  get through(): number {
    return this.number("select through from attempts_filed");
  }

  get filed(): number {
    return this.number("select count(*) from attempts_by_organization");
  }

  get unfiled(): number {
    return this.#unfiled.size;
  }

  /** Whoever asks, from whatever place, for however many. */
  expectPages(): void {
    const all = new Map(this.#plain.list({ limit: undefined }).map((each) => [each.id, toValues(each)]));
    const ids = [...all.keys()];
    const every = Math.ceil(ids.length / 3) || 1;
    const places = [undefined, "0", ...ids.filter((_, i) => i % every === 0), ids.at(-1)];
    const asked = [...ORGANIZATIONS, "nobody"].flatMap((organizationId) =>
      places.flatMap((before) => [3, 1000].map((limit) => ({ organizationId, before, limit }))),
    );
    const isRight = (page: (typeof asked)[number]) => {
      const expected = this.#plain.list(page).map(({ id }) => all.get(id));
      return isDeepStrictEqual(this.history.list(page), expected);
    };
    expect(asked.filter((page) => !isRight(page))).toEqual([]);
  }

  /** What those rely on who read past this process: filed is what is said to be, and nothing that is not there. */
  expectFiledTruly(): void {
    const names = ATTEMPT_COLUMN_NAMES.join(", ");
    const attempts = `select ${names} from attempts where organization_id is not null`;
    const filed = `select ${names} from attempts_by_organization`;
    const through = "number <= (select through from attempts_filed)";
    expect(this.database.prepare(`${attempts} and ${through} except ${filed}`).all()).toEqual([]);
    expect(this.database.prepare(`${filed} except ${attempts}`).all()).toEqual([]);
  }

  /** All that were written when the filing began are filed, and only others are still looked for. */
  expectAllFiled(): void {
    this.expectFiledTruly();
    expect(this.through).toBe(this.number("select max(number) from attempts"));
    expect(this.unfiled).toBe(0);
  }
}
