import type { HttpRequest } from "../http.ts";
import { databaseIdOf, keyText, licensedFamily, organizationOfKey, versionNumber } from "./names.ts";
import type { Scale } from "./scale.ts";

const API = "/api/v2/database";

/** A customer's machine and a database it may download. */
export interface Customer {
  key: string;
  databaseId: string;
}

/** The requests that customers send. */
export const requestFor = {
  metadata: ({ key, databaseId }: Customer) => get(key, `${API}/metadata?id=${databaseId}`),
  checksum: ({ key, databaseId }: Customer) => get(key, `${API}/checksum?id=${databaseId}&format=mmdb`),
  download: ({ key, databaseId }: Customer) => get(key, `${API}/download?id=${databaseId}&format=mmdb`),
  list: ({ key }: Customer) => get(key, `${API}/list`),
  history: ({ key }: Customer) => get(key, `${API}/downloads`),
};

function get(key: string, path: string): HttpRequest {
  return { path, headers: { Authorization: `Bearer ${key}`, "User-Agent": "dbdepot-bench" } };
}

/** Draws customers at random from all keys. The same seed draws the same ones. */
export function drawCustomers(scale: Scale, count: number, seed: number): Customer[] {
  const random = randomNumbers(seed);
  return Array.from({ length: count }, () => {
    const key = Math.floor(random() * scale.keys);
    const family = licensedFamily(scale, organizationOfKey(scale, key), Math.floor(random() * scale.licences));
    return { key: keyText(key), databaseId: databaseIdOf(family, versionNumber(Math.floor(random() * 3))) };
  });
}

/** Well-formed keys that don't exist. */
export function unknownKeys({ keys }: Scale, count: number): Customer[] {
  return Array.from({ length: count }, (_, i) => ({ key: keyText(keys + i), databaseId: databaseIdOf(0, 1) }));
}

/** Mulberry32: reproducible numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
