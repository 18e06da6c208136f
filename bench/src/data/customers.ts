import { keyText } from "./key-text.ts";
import { databaseIdOf, licensedFamily, organizationOfKey, versionNumber } from "./names.ts";
import { KEYS_TO_REVOKE, type Scale } from "./scale.ts";

/** A customer's machine that asks for a database it may have. */
export interface Customer {
  key: string;
  databaseId: string;
}

/** Customers drawn at random, from all keys or from the first so many. The same seed draws the same ones. */
export function drawCustomers(
  scale: Scale,
  count: number,
  seed: number,
  keysInUse = scale.keys - KEYS_TO_REVOKE,
): Customer[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => {
    const key = Math.floor(random() * keysInUse);
    const organization = organizationOfKey(scale, key);
    const family = licensedFamily(scale, organization, Math.floor(random() * scale.licences));
    return { key: keyText(key), databaseId: databaseIdOf(family, versionNumber(Math.floor(random() * 3))) };
  });
}

/** Keys that look right and are nobody's. */
export function drawStrangers({ keys }: Scale, count: number, seed: number, kinds: number): Customer[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => ({
    key: keyText(keys + Math.floor(random() * kinds)),
    databaseId: databaseIdOf(0, 1),
  }));
}

/** Mulberry32: numbers from 0 to 1 that can be had again. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
