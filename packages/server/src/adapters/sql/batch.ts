import type { AuditEntry } from "../../domain/audit/entry.ts";
import type { Event } from "../../domain/events/event.ts";
import type { Licence } from "../../domain/licences/licence.ts";
import type { Organization } from "../../domain/organizations/organization.ts";
import type { Tables } from "../../domain/store.ts";

type Method = (...args: never[]) => Promise<unknown>;
type Stores = Record<string, Record<string, Method>>;

/** Methods that are called for many rows, and neither read nor write rows that a batch keeps. */
const INDEPENDENT = new Set(["accounts.update", "keys.update", "legacyKeys.update"]);

/**
 * Runs work with tables that keep rows of the four kinds below, and write them with few statements: at the end, and before
 * every other method reads or writes anything. So the work finds what it has written, and the order of its writes is kept,
 * no matter which methods it calls.
 */
export async function inBatch<T>(tables: Tables, work: (tables: Tables) => Promise<T>): Promise<T> {
  const entries: AuditEntry[] = [];
  const events: Omit<Event, "revision">[] = [];
  const organizations = new Map<string, Organization>();
  const licences = new Map<string, Licence>();
  const flush = async () => {
    if (entries.length + events.length + organizations.size + licences.size === 0) return;
    const [changed, added] = [
      { organizations: [...organizations.values()], licences: [...licences.values()] },
      [entries.splice(0), events.splice(0)] as const,
    ];
    organizations.clear();
    licences.clear();
    await tables.customers.update(changed);
    await tables.customers.insertEntries(...added);
  };
  const kept: Stores = {
    audit: { insert: async (entry: AuditEntry) => void entries.push(entry) },
    events: { insert: async (event: Omit<Event, "revision">) => void events.push(event) },
    organizations: { update: async (after: Organization) => void organizations.set(after.id, after) },
    licences: { update: async (after: Licence) => void licences.set(after.id, after) },
  };
  const stores = Object.entries(tables as unknown as Stores).map(([noun, store]) => {
    const methods = Object.entries(store).map(([name, method]) => {
      const flushing: Method = async (...args) => {
        await flush();
        return method(...args);
      };
      return [name, kept[noun]?.[name] ?? (INDEPENDENT.has(`${noun}.${name}`) ? method : flushing)];
    });
    return [noun, Object.fromEntries(methods)];
  });
  const result = await work(Object.fromEntries(stores) as Tables);
  await flush();
  return result;
}
