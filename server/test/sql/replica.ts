/**
 * A process of its own on somebody else's database, as a second replica would be:
 * `node replica.ts '<address as JSON>' migrate`, `… number <count>`, `… attempt <count> <count of all>` or
 * `… leave <count>`. Prints one JSON document.
 */
import { setTimeout } from "node:timers/promises";
import type { Attempt } from "../../src/downloads/attempt.ts";
import { newId } from "../../src/ids.ts";
import { type DatabaseAddress, openStore } from "../../src/sql/open.ts";
import type { Store } from "../../src/store.ts";
import { attempt } from "./samples.ts";

const [addressJson = "", task, count, countOfAll] = process.argv.slice(2);
const store = await openStore(JSON.parse(addressJson) as DatabaseAddress);
const result = await run();
await store.close();
process.stdout.write(JSON.stringify(result));

async function run(): Promise<string[]> {
  if (task === "migrate") return store.migrate();
  if (task === "number") return numberOrganizations(store, Number(count));
  if (task === "attempt") return attemptTogether(store, Number(count), Number(countOfAll));
  await store.attempts.append(attemptsOfAcme(Number(count)));
  return [];
}

/** Adds organizations that are named by how many there were: what a change reads must hold until it writes. */
async function numberOrganizations(store: Store, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const name = await store.change(async ({ organizations }) => {
      const next = String((await organizations.list()).length);
      await organizations.insert({ id: newId(new Date()), name: next, created: new Date() });
      return next;
    });
    names.push(name);
  }
  return names;
}

/** Appends attempts of Acme in groups, and gives all of Acme's once everybody has appended theirs. */
async function attemptTogether(store: Store, count: number, countOfAll: number): Promise<string[]> {
  for (let left = count; left > 0; left -= 50) await store.attempts.append(attemptsOfAcme(Math.min(left, 50)));
  while ((await store.attempts.list({ limit: countOfAll })).length < countOfAll) await setTimeout(20);
  return (await store.attempts.list({ organizationId: "acme", limit: countOfAll + 1 })).map(({ id }) => id);
}

function attemptsOfAcme(count: number): Attempt[] {
  return Array.from({ length: count }, () => attempt({ organizationId: "acme", created: new Date() }));
}
