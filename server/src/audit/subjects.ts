import { isEmail } from "../accounts/person.ts";
import { isPrefix } from "../keys/secret.ts";
import type { Tables } from "../store.ts";

/** The ids that a filter by subject stands for: an id, the exact name of an organization, the prefix of a key, or an e-mail address. */
export async function subjectIds(
  tables: Pick<Tables, "organizations" | "keys" | "accounts">,
  idOrName: string,
): Promise<string[]> {
  const organization = await tables.organizations.byName(idOrName);
  const key = isPrefix(idOrName) ? await tables.keys.byPrefix(idOrName) : undefined;
  const account = isEmail(idOrName) ? await tables.accounts.byEmail(idOrName.toLowerCase()) : undefined;
  return [idOrName, ...[organization, key, account].flatMap((found) => (found ? [found.id] : []))];
}
