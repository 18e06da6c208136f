import { isPrefix } from "../keys/secret.ts";
import type { Tables } from "../store.ts";

/** The ids that a filter by subject stands for: an id, the exact name of an organization, or the prefix of a key. */
export async function subjectIds(tables: Pick<Tables, "organizations" | "keys">, idOrName: string): Promise<string[]> {
  const organization = await tables.organizations.byName(idOrName);
  const key = isPrefix(idOrName) ? await tables.keys.byPrefix(idOrName) : undefined;
  return [idOrName, ...[organization, key].flatMap((found) => (found ? [found.id] : []))];
}
