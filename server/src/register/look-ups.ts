import { setImmediate as nextTurn } from "node:timers/promises";
import { BoundedCache } from "./bounded-cache.ts";

type FindAll<K, V> = (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>;

/** One query, for all who ask while the one before is under way. */
interface Question<K, V> {
  keys: K[];
  answer: Promise<ReadonlyMap<K, V>>;
}

/**
 * Look-ups in the database whose answers are remembered until they are forgotten on
 * purpose. "There is none" is remembered too, apart, so that guesses cannot push out
 * what is in use. Those who ask at the same time share a query.
 */
export class LookUps<K, V extends object> {
  readonly #findAll: FindAll<K, V>;
  readonly #known: BoundedCache<K, V>;
  readonly #unknown: BoundedCache<K, true>;
  #forgotten = 0;
  #question: Question<K, V> | undefined;
  #underWay: Promise<unknown> = Promise.resolve();

  constructor(findAll: FindAll<K, V>, size: number) {
    this.#findAll = findAll;
    this.#known = new BoundedCache(size);
    this.#unknown = new BoundedCache(Math.ceil(size / 4));
  }

  /** The answer itself when it is remembered: the hot path then waits for nothing. */
  get(key: K): V | undefined | Promise<V | undefined> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    return this.#unknown.get(key) ? undefined : this.#ask(key);
  }

  /** The answer if it is remembered, without asking for it. */
  known(key: K): V | undefined {
    return this.#known.get(key);
  }

  forget(keys: Iterable<K>): void {
    this.#forgotten += 1;
    for (const key of keys) {
      this.#known.delete(key);
      this.#unknown.delete(key);
    }
  }

  forgetAll(): void {
    this.#forgotten += 1;
    this.#known.clear();
    this.#unknown.clear();
  }

  async #ask(key: K): Promise<V | undefined> {
    const forgottenBefore = this.#forgotten;
    this.#question ??= this.#newQuestion();
    this.#question.keys.push(key);
    const found = (await this.#question.answer).get(key);
    // An answer that was read before something was forgotten may be the very thing to forget.
    if (this.#forgotten === forgottenBefore) {
      if (found) this.#known.set(key, found);
      else this.#unknown.set(key, true);
    }
    return found;
  }

  #newQuestion(): Question<K, V> {
    const keys: K[] = [];
    const answer = Promise.all([this.#underWay, nextTurn()]).then(() => {
      this.#question = undefined;
      return this.#findAll(keys);
    });
    this.#underWay = answer.catch(() => {});
    return { keys, answer };
  }
}

/** For what is seldom asked for. */
export function oneByOne<K, V>(find: (key: K) => Promise<V | undefined>): FindAll<K, V> {
  return async (keys) => {
    const found = new Map<K, V>();
    for (const key of keys) {
      const value = await find(key);
      if (value !== undefined) found.set(key, value);
    }
    return found;
  };
}
