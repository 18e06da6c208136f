/**
 * A second replica of the service on an existing database: `node replica.ts '<address as JSON>' migrate`,
 * `… number <count>`, `… announce <count>` or `… attempt <count> <organization> <count of all>`. Prints one JSON document.
 */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { type DatabaseAddress, openStore } from "../../../src/adapters/sql/open.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import type { Store } from "../../../src/domain/store.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { attempt, event } from "./samples.ts";

const [addressJson = "", task, count, organizationId = "", countOfAll] = process.argv.slice(2);
const store = await openStore(JSON.parse(addressJson) as DatabaseAddress);
const result = await run();
await store.close();
process.stdout.write(JSON.stringify(result));

async function run(): Promise<string[]> {
  if (task === "migrate") return store.migrate();
  if (task === "number") return numberOrganizations(store, Number(count));
  if (task === "announce") return announceAll(store, Number(count));
  return attemptTogether(store, organizationId, Number(count), Number(countOfAll));
}

/** Names each organization after the number of existing ones, which must not change between the read and the write. */
async function numberOrganizations(store: Store, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const name = await store.change(async ({ organizations }) => {
      const next = String((await organizations.list()).length);
      const created = new Date();
      await organizations.insert({
        id: newId(created),
        name: next,
        created,
        archived: null,
        externalId: null,
        limits: NO_LIMITS,
        linkRegion: null,
      });
      return next;
    });
    names.push(name);
  }
  return names;
}

/** Announces events with ids of any order, one or two per change. */
async function announceAll(store: Store, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  for (let i = 0; i < count; i += 2) {
    await store.change(async ({ events }) => {
      for (const id of ids.slice(i, i + 2)) await events.insert(event({ id }));
    });
  }
  return ids;
}

/** Appends attempts in groups, and returns the organization's attempts once all replicas have appended theirs. */
async function attemptTogether(
  store: Store,
  organizationId: string,
  count: number,
  countOfAll: number,
): Promise<string[]> {
  for (let left = count; left > 0; left -= 50) {
    const group = Array.from({ length: Math.min(left, 50) }, () => attempt({ organizationId, created: new Date() }));
    await store.attempts.append(group);
  }
  for (;;) {
    const found = await store.attempts.list({ organizationId, limit: countOfAll + 1 });
    if (found.length >= countOfAll) return found.map(({ id }) => id);
    await setTimeout(20);
  }
}
