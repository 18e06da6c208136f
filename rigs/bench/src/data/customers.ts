import type { HttpRequest } from "../../../harness/http.ts";
import { Random } from "../../../harness/random.ts";
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
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const key = random.integer(0, scale.keys - 1);
    const family = licensedFamily(scale, organizationOfKey(scale, key), random.integer(0, scale.licences - 1));
    return { key: keyText(key), databaseId: databaseIdOf(family, versionNumber(random.integer(0, 2))) };
  });
}

/** Well-formed keys that don't exist. */
export function unknownKeys({ keys }: Scale, count: number): Customer[] {
  return Array.from({ length: count }, (_, i) => ({ key: keyText(keys + i), databaseId: databaseIdOf(0, 1) }));
}
