import type { HistoryQuery } from "../../downloads/store.ts";

/** An organization's attempts, oldest first: their ids, and at the same places their numbers. */
interface Entries {
  ids: string[];
  numbers: number[];
}

/** How far a filing is. */
interface Places {
  /** How many organizations are filed. */
  passed: number;
  /** And how many of the next one's attempts. */
  filed: number;
}

interface Portion extends Places {
  numbers: number[];
  isLast: boolean;
}

/**
 * Where the attempts are that are not filed yet, by organization: some 100 bytes for each. What is being filed is apart
 * from what comes meanwhile.
 */
export class Unfiled {
  #fresh = new Map<string, Entries>();
  #leaving = new Map<string, Entries>();
  #places: Places & { organizationIds: string[] } = { organizationIds: [], passed: 0, filed: 0 };

  get size(): number {
    const all = [...this.#fresh.values(), ...this.#leaving.values()];
    return all.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** One that is there by its id has its new number from now on. */
  add(organizationId: string, id: string, number: number): void {
    let entries = this.#fresh.get(organizationId);
    if (!entries) {
      entries = { ids: [], numbers: [] };
      this.#fresh.set(organizationId, entries);
    }
    const { ids, numbers } = entries;
    const newest = ids.at(-1);
    if (newest === undefined || newest < id) {
      ids.push(id);
      numbers.push(number);
      return;
    }
    const place = placeOf(id, ids);
    const isThere = ids[place] === id;
    ids.splice(place, isThere ? 1 : 0, id);
    numbers.splice(place, isThere ? 1 : 0, number);
  }

  /** The numbers of an organization's newest ones before a place: newest first. */
  newest({ organizationId, before, limit }: HistoryQuery): number[] {
    const found = [this.#fresh, this.#leaving].flatMap((entriesBy) => {
      const { ids, numbers } = entriesBy.get(organizationId) ?? { ids: [], numbers: [] };
      const end = before === undefined ? ids.length : placeOf(before, ids);
      const begin = Math.max(0, end - limit);
      return ids.slice(begin, end).map((id, i) => ({ id, number: numbers[begin + i] as number }));
    });
    found.sort((one, other) => (one.id < other.id ? 1 : -1));
    return found.slice(0, limit).map(({ number }) => number);
  }

  /** All that are there leave, to be filed. */
  leave(): void {
    this.#leaving = this.#fresh;
    this.#fresh = new Map();
    this.#places = { organizationIds: [...this.#leaving.keys()].sort(), passed: 0, filed: 0 };
  }

  /** The next ones of those that leave, at most so many, by organization and in the order of their ids. */
  portion(count: number): Portion {
    const { organizationIds } = this.#places;
    let { passed, filed } = this.#places;
    const numbers: number[] = [];
    while (passed < organizationIds.length && numbers.length < count) {
      const own = this.#leaving.get(organizationIds[passed] as string)?.numbers ?? [];
      const some = own.slice(filed, filed + count - numbers.length);
      numbers.push(...some);
      filed += some.length;
      if (filed < own.length) break;
      passed += 1;
      filed = 0;
    }
    return { numbers, isLast: passed === organizationIds.length, passed, filed };
  }

  /** They were filed. */
  forget({ passed, filed }: Portion): void {
    const { organizationIds } = this.#places;
    for (const id of organizationIds.slice(this.#places.passed, passed)) this.#leaving.delete(id);
    this.#places = { organizationIds, passed, filed };
  }

  clear(): void {
    this.#fresh.clear();
    this.leave();
  }
}

/** Of the first that is not smaller. */
function placeOf(id: string, ids: readonly string[]): number {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as string) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
