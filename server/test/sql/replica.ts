/**
 * A process of its own on somebody else's database, as a second replica would be:
 * `node replica.ts '<address as JSON>' migrate` or `… number <count>`. Prints one JSON document.
 */
import { newId } from "../../src/ids.ts";
import { type DatabaseAddress, openStore } from "../../src/sql/open.ts";
import type { Store } from "../../src/store.ts";

const [addressJson = "", task, count] = process.argv.slice(2);
const store = await openStore(JSON.parse(addressJson) as DatabaseAddress);
const result = task === "migrate" ? await store.migrate() : await numberOrganizations(store, Number(count));
await store.close();
process.stdout.write(JSON.stringify(result));

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
