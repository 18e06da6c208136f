/**
 * Updates the usage totals without a pause until it is killed: `node updates.ts '<address as JSON>' <time>`. Prints a line before each
 * update. A minute passes between two updates.
 */
import { randomUUID } from "node:crypto";
import { type DatabaseAddress, openStore } from "../../../src/adapters/sql/open.ts";
import { updateUsage } from "../../../src/domain/usage/update.ts";

const [addressJson = "", start = ""] = process.argv.slice(2);
const { usage } = await openStore(JSON.parse(addressJson) as DatabaseAddress);
const by = randomUUID();
for (let now = new Date(start); ; now = new Date(now.getTime() + 61_000)) {
  process.stdout.write("updating\n");
  await updateUsage({ usage, clock: () => now, by });
}
