import type { Keys } from "../api/keys.ts";

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The part of a whole key that is not secret. */
const PUBLIC_PART = /^dbd_[0-9A-Za-z]{8}(?=_)/;

/** Returns the id of the key whose id or prefix begins with `text`. */
export async function findKey(keys: Keys, text: string): Promise<string> {
  if (ID.test(text)) return text;
  const start = PUBLIC_PART.exec(text)?.[0] ?? text;
  const found = (await keys.list()).filter(
    ({ id, key_prefix }) => id.startsWith(start) || key_prefix.startsWith(start),
  );
  const [first, ...others] = found;
  if (!first)
    throw new Error(`no key has an id or prefix that begins with "${start}": "dbdepot keys list" shows all keys`);
  if (others.length > 0) {
    const names = found.slice(0, 5).map(({ key_prefix, name }) => `${key_prefix} (${name})`);
    throw new Error(`"${start}" matches ${found.length} keys; use more characters: ${names.join(", ")}`);
  }
  return first.id;
}
