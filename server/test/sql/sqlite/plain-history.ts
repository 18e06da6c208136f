import type { Attempt } from "../../../src/downloads/attempt.ts";
import type { AttemptFilter } from "../../../src/downloads/store.ts";
import { firstIdOf } from "../../../src/ids.ts";
import { ATTEMPT_COLUMN_NAMES } from "../../../src/sql/attempt-columns.ts";
import { toRow } from "../../../src/sql/attempts.ts";
import type { AttemptValues } from "../../../src/sql/sqlite/history.ts";
import { attempt } from "../samples.ts";

type Asked = { [Mark in keyof AttemptFilter]: AttemptFilter[Mark] | undefined };

/** What a history has to say, told by the simplest one: a list that is sorted and filtered. */
export class PlainHistory {
  #attempts: Attempt[] = [];

  append(attempts: readonly Attempt[]): void {
    const known = new Set(this.#attempts.map(({ id }) => id));
    for (const each of attempts) {
      if (!known.has(each.id)) this.#attempts.push(each);
      known.add(each.id);
    }
    this.#attempts.sort((one, other) => (one.id < other.id ? 1 : -1));
  }

  list({ limit, since, until, before, ...marks }: Asked): Attempt[] {
    const asked = Object.entries(marks).filter(([, value]) => value !== undefined);
    const found = this.#attempts.filter(
      (each) =>
        (since === undefined || each.created >= since) &&
        (until === undefined || each.created < until) &&
        (before === undefined || each.id < before) &&
        asked.every(([mark, value]) => each[mark as keyof Attempt] === value),
    );
    return found.slice(0, limit);
  }

  removeBefore(time: Date, limit: number): number {
    const old = this.#attempts.filter(({ created }) => created < time).slice(-limit);
    this.#attempts = this.#attempts.filter((each) => !old.includes(each));
    return old.length;
  }

  /** Newest first. */
  get ids(): string[] {
    return this.#attempts.map(({ id }) => id);
  }
}

/** Of this moment, by its id too, and the n-th in it. */
export function nthAttemptAt(created: Date, n: number, but: Partial<Attempt> = {}): Attempt {
  const id = firstIdOf(created).slice(0, 24) + n.toString(16).padStart(12, "0");
  return attempt({ id, created, cause: `no. ${n}`, ...but });
}

export function toValues(of: Attempt): AttemptValues {
  const row = toRow(of);
  return ATTEMPT_COLUMN_NAMES.map((name) => row[name]);
}

/** Gives whole numbers below the one it is asked with, the same ones for the same seed (a linear congruential generator). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
