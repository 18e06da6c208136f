import type { ListedApiKey } from "@dbdepot/contract/iam/keys";
import type { ListedKey } from "@dbdepot/contract/operator/keys";
import { actorOf } from "../access/account.ts";
import { isPseudonym } from "../access/person.ts";
import type { Tables } from "../store.ts";
import type { Key } from "./key.ts";
import type { KeyFilter } from "./store.ts";
import { keyToCustomerWire, keyToWire } from "./wire.ts";

/** The filter of a list whose query has this `state`. */
export function activeAt(state: "active" | "inactive" | undefined, now: Date): KeyFilter["active"] {
  return state && { is: state === "active", at: now };
}

/** Keys as the operator sees them. */
export async function listedKeys(
  tables: Pick<Tables, "audit" | "keys">,
  keys: readonly Key[],
  now: Date,
): Promise<ListedKey[]> {
  const creators = await creatorsOf(tables, keys);
  const overlaps = await overlapsOf(tables, keys, now);
  return keys.map((key) => ({
    ...keyToWire(key),
    created_by: creators.get(key.id) ?? null,
    old_secret_until: overlaps.get(key.id)?.toISOString() ?? null,
  }));
}

/** Keys as their organization sees them. */
export async function listedKeysFor(
  tables: Pick<Tables, "audit" | "accounts" | "keys">,
  organizationId: string,
  keys: readonly Key[],
  now: Date,
): Promise<ListedApiKey[]> {
  const creators = await creatorsFor(tables, organizationId, keys);
  const overlaps = await overlapsOf(tables, keys, now);
  return keys.map((key) => {
    const shown = keyToCustomerWire(key);
    const created_by = creators.get(key.id) ?? null;
    const old_secret_until = overlaps.get(key.id)?.toISOString() ?? null;
    // The newest published clients read the last two.
    return { ...shown, created_by, old_secret_until, last_used_at: shown.last_used, revoked_at: shown.revoked };
  });
}

/** Until when the old secrets of keys work. They stop working with their key. */
async function overlapsOf(tables: Pick<Tables, "keys">, keys: readonly Key[], now: Date): Promise<Map<string, Date>> {
  const usable = keys.filter(({ revoked, expires }) => revoked === null && (expires === null || expires > now));
  const found = await tables.keys.overlaps(
    usable.map(({ id }) => id),
    now,
  );
  for (const { id, expires } of usable) {
    const end = found.get(id);
    if (end && expires && expires < end) found.set(id, expires);
  }
  return found;
}

function creatorsOf(tables: Pick<Tables, "audit">, keys: readonly Key[]): Promise<Map<string, string>> {
  return tables.audit.actorsOf(
    "key.created",
    keys.map(({ id }) => id),
  );
}

/** An organization sees its own people and keys by name, and the pseudonyms of people who were erased. Everyone else is "vendor". */
async function creatorsFor(
  tables: Pick<Tables, "audit" | "accounts" | "keys">,
  organizationId: string,
  keys: readonly Key[],
): Promise<Map<string, string>> {
  const creators = await creatorsOf(tables, keys);
  const members = await tables.accounts.list({ organizationId });
  const own = new Set(members.map(actorOf));
  for (const actor of new Set(creators.values())) {
    if (isPseudonym(actor)) own.add(actor);
    const prefix = actor.startsWith("key:") ? actor.slice("key:".length) : undefined;
    const key = prefix === undefined ? undefined : await tables.keys.byPrefix(prefix);
    if (key?.organizationId === organizationId) own.add(actor);
  }
  return new Map([...creators].map(([id, actor]) => [id, own.has(actor) ? actor : "vendor"]));
}
