import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Download } from "@dbdepot/contract/downloads";
import type { HistoryPage, HistoryQuery } from "../../downloads/store.ts";
import { ATTEMPT_COLUMN_NAMES, type AttemptRow } from "../attempt-columns.ts";
import { newestFirst } from "./newest-first.ts";
import { Unfiled } from "./unfiled.ts";

/** An attempt's columns, in the order of ATTEMPT_COLUMN_NAMES: its id is the first. */
export type AttemptValues = SQLInputValue[];

/** When attempts are filed, and how many of them at a time. */
export interface FilingPace {
  /** So many for each organization, on average: a page of the table is then changed once for all of them. */
  perOrganization: number;
  atLeast: number;
  /** A download waits for no more than these, and for what is taken in: some 2 ms. */
  portion: number;
}

const PACE: FilingPace = { perOrganization: 10, atLeast: 1000, portion: 128 };
/** Not all that others have written, or were there at the start, at once: some 1 ms. */
const TAKEN_IN_AT_ONCE = 500;
/** Sorts behind every id. */
const BEHIND_ALL = "~";
const ORGANIZATION_ID_AT = ATTEMPT_COLUMN_NAMES.indexOf("organization_id");

/** For a bare "?" SQLite looks at its value, and so plans the query anew each time: a third of the time that a page takes. */
const LIMIT = "(? + 0)";
const NAMES = ATTEMPT_COLUMN_NAMES.join(", ");
/** As downloads/wire.ts has them. */
const WIRE_FIELDS: readonly (readonly [keyof Download, keyof AttemptRow])[] = [
  ["dataset_id", "dataset_id"],
  ["format", "format"],
  ["outcome", "outcome"],
  ["bytes", "bytes"],
  ["http_status", "http_status"],
  ["apikey_id", "key_id"],
  ["client_ip", "client_ip"],
  ["user_agent", "user_agent"],
  ["created", "created"],
];

/** The same of attempts that are filed and of those that are not. The id is the first column. */
interface Sources {
  unfiled: StatementSync;
  filed: StatementSync;
}

/**
 * The history on SQLite, as the one thread sees it that writes it (docs/decisions/0011-history-filed-later.md). A new
 * attempt goes to the end of `attempts`, which costs the same however many there are. To read an organization's history
 * they must lie side by side, and so they are filed later, many at a time: copied to `attempts_by_organization`, in its order.
 * Those that are not filed yet are found by `unfiled`, in this thread's memory.
 */
export class SqliteHistory {
  readonly #database: DatabaseSync;
  readonly #pace: FilingPace;
  readonly #statements: ReturnType<typeof prepareStatements>;
  /** Every so many attempts, whoever writes the one with a round number files them all. So two processes do not do it at once. */
  #round: number;
  #isDue = false;
  readonly #unfiled: Unfiled;
  /** The newest number of the filing that goes on. */
  #filingThrough: number | undefined;
  /** The newest number that was filed with all before it, as far as this process knows. */
  #filed: number;
  /** The newest number that `unfiled` has seen. */
  #seen: number;
  /** The newest number that this process has written. */
  #written = 0;

  constructor(database: DatabaseSync, pace = PACE, unfiled = new Unfiled()) {
    this.#database = database;
    this.#pace = pace;
    this.#unfiled = unfiled;
    this.#statements = prepareStatements(database);
    this.#round = this.#roundNow();
    this.#filed = this.#number(this.#statements.filed);
    this.#seen = this.#filed;
    // What a process that died has left: perhaps more than a round.
    this.#written = this.#number(this.#statements.newest);
    this.#isDue = this.#written - this.#filed >= this.#round;
  }

  /** Durable when it returns. What is there already, by its id, is left as it is. */
  append(attempts: readonly AttemptValues[]): void {
    const numbers = this.#commit(() =>
      attempts.map((values) => {
        const { changes, lastInsertRowid } = this.#statements.append.run(...values);
        return changes === 0 ? undefined : Number(lastInsertRowid);
      }),
    );
    // Not before: the numbers of a commit that fails are given once more, to other attempts.
    const written = numbers.filter((number) => number !== undefined);
    const newest = written.at(-1);
    if (newest === undefined) return;
    this.#isDue ||= written.some((number) => number % this.#round === 0);
    this.#written = newest;
    // Else others have written in between, and all are taken in later.
    if (written[0] !== this.#seen + 1) return;
    for (const [i, number] of numbers.entries()) {
      const values = attempts[i] as AttemptValues;
      if (number !== undefined) this.#note(values[ORGANIZATION_ID_AT] as string | null, values[0] as string, number);
    }
    this.#seen = newest;
  }

  /** An organization's attempts, newest first. */
  list(query: HistoryQuery): AttemptValues[] {
    return this.#find(query, this.#statements.attempts);
  }

  /** The same as customers get them. */
  page({ organizationId, before, limit }: HistoryQuery): HistoryPage {
    // One more than asked for tells whether there is a next page.
    const found = this.#find({ organizationId, before, limit: limit + 1 }, this.#statements.json);
    const page = found.slice(0, limit);
    const json = page.map(([, text]) => text).join();
    return { json, next: found.length > limit ? (page.at(-1)?.[0] as string) : undefined };
  }

  #find(query: HistoryQuery, from: Sources): SQLInputValue[][] {
    this.#takeInAll();
    const { organizationId, before = BEHIND_ALL, limit } = query;
    const filed = from.filed.all(organizationId, before, limit) as unknown as SQLInputValue[][];
    return newestFirst(this.#findUnfiled(query, from.unfiled), filed, ([id]) => id as string, limit);
  }

  #findUnfiled(query: HistoryQuery, statement: StatementSync): SQLInputValue[][] {
    for (let limit = query.limit; ; limit *= 2) {
      const numbers = this.#unfiled.newest({ ...query, limit });
      if (numbers.length === 0) return [];
      const found = statement.all(JSON.stringify(numbers)) as unknown as SQLInputValue[][];
      // Some may have been removed since: then older ones take their place.
      if (found.length >= query.limit || numbers.length < limit) return found;
    }
  }

  /** Attempts come faster than they are filed: the next ones are due before the last ones are done, or taken in. */
  get isInArrears(): boolean {
    return this.#isDue && (this.#filingThrough !== undefined || this.#isBehind);
  }

  /**
   * For a time in which nobody writes: what is there is due, though the round is not full, since it takes longer to read than
   * what is filed. Of several processes, the one that has written last does it.
   */
  makeDue(): void {
    const isWorthIt = this.#written - this.#filed >= this.#pace.atLeast;
    if (isWorthIt && this.#number(this.#statements.newest) === this.#written) this.#isDue = true;
  }

  /** Does a little of what is to be done behind the requests' backs, and tells whether there is more. */
  work(): boolean {
    if (this.#isBehind) this.#takeIn();
    if (this.#filingThrough !== undefined) this.#fileSome(this.#filingThrough);
    else if (this.#isDue && !this.#isBehind) this.#beginFiling();
    return this.#isBehind || this.#isDue || this.#filingThrough !== undefined;
  }

  get #isBehind(): boolean {
    return this.#written - this.#seen >= TAKEN_IN_AT_ONCE;
  }

  #beginFiling(): void {
    // In the same step: between any two, more may be written.
    this.#takeIn();
    this.#isDue = false;
    this.#filingThrough = this.#seen;
    this.#unfiled.leave();
  }

  /**
   * What is half filed when the process ends is filed again, after the next start or a round; what is there by then is skipped.
   * An attempt that is filed and not forgotten yet is in both places, which readers allow for.
   */
  #fileSome(through: number): void {
    const { file, setFiled } = this.#statements;
    const portion = this.#unfiled.portion(this.#pace.portion);
    // Not on disk before the next attempts are: what is lost until then is filed again. A wait for the disk less, some 1 ms.
    this.#database.exec("pragma synchronous = normal");
    try {
      this.#commit(() => {
        file.run(JSON.stringify(portion.numbers));
        if (portion.isLast) setFiled.run(through);
      });
    } finally {
      this.#database.exec("pragma synchronous = full");
    }
    this.#unfiled.forget(portion);
    if (!portion.isLast) return;
    this.#filed = Math.max(this.#filed, through);
    this.#filingThrough = undefined;
    this.#round = this.#roundNow();
  }

  #takeInAll(): void {
    this.#forgetFiled();
    const newest = this.#number(this.#statements.newest);
    while (this.#seen < newest) this.#takeIn(newest);
  }

  /** Other processes write attempts, too. */
  #takeIn(newest = this.#written): void {
    this.#forgetFiled();
    const through = Math.min(newest, this.#seen + TAKEN_IN_AT_ONCE);
    const found = this.#statements.between.all(this.#seen, through) as unknown as [string | null, string, number][];
    for (const each of found) this.#note(...each);
    this.#seen = Math.max(this.#seen, through);
  }

  /** By other processes. */
  #forgetFiled(): void {
    const filed = this.#number(this.#statements.filed);
    if (filed <= this.#filed) return;
    this.#filed = filed;
    this.#unfiled.clear();
    this.#seen = filed;
    this.#filingThrough = undefined;
  }

  #note(organizationId: string | null, id: string, number: number): void {
    // Nobody's are not filed.
    if (organizationId !== null) this.#unfiled.add(organizationId, id, number);
  }

  #roundNow(): number {
    const { perOrganization, atLeast } = this.#pace;
    return Math.max(atLeast, perOrganization * this.#number(this.#statements.organizations));
  }

  #number(statement: StatementSync): number {
    const [value] = statement.get() as unknown as [number];
    return value;
  }

  #commit<T>(work: () => T): T {
    this.#database.exec("begin immediate");
    try {
      const result = work();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("rollback");
      throw error;
    }
  }
}

function prepareStatements(database: DatabaseSync) {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  };
  const sources = (columns: string): Sources => ({
    unfiled: prepare(`select ${columns} from json_each(?) as some cross join attempts as a on a.number = some.value`),
    filed: prepare(`select ${columns} from attempts_by_organization as a
      where organization_id = ? and id < ? order by id desc limit ${LIMIT}`),
  });
  const places = ATTEMPT_COLUMN_NAMES.map(() => "?").join(", ");
  const names = ATTEMPT_COLUMN_NAMES.map((name) => `attempts.${name}`).join(", ");
  return {
    append: prepare(`insert into attempts (${NAMES}) values (${places}) on conflict (id) do nothing`),
    newest: prepare("select coalesce(max(number), 0) from attempts"),
    filed: prepare("select through from attempts_filed"),
    setFiled: prepare("update attempts_filed set through = max(through, ?)"),
    organizations: prepare("select count(*) from organizations"),
    between: prepare("select organization_id, id, number from attempts where number > ? and number <= ?"),
    file: prepare(`insert or ignore into attempts_by_organization (${NAMES})
      select ${names} from json_each(?) as some cross join attempts on attempts.number = some.value`),
    attempts: sources(ATTEMPT_COLUMN_NAMES.map((name) => `a.${name}`).join(", ")),
    json: sources(`a.id, json_object(${WIRE_FIELDS.map(([name, column]) => `'${name}', a.${column}`).join(", ")})`),
  };
}
