import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { drawCustomers } from "../data/customers.ts";
import type { GrowthData } from "../data/growth.ts";
import { keyPrefix, keyText } from "../data/key-text.ts";
import { databaseIdOf, licensedFamily, organizationOfKey } from "../data/names.ts";
import { exchange } from "../exchange.ts";
import { type Line, lone } from "../line.ts";
import { load } from "../load.ts";
import { operate, type Service } from "../service.ts";
import { amount } from "../table.ts";
import type { Workshop } from "../workshop.ts";
import { ASK } from "./requests.ts";

const LOOK_MS = 5;
const LIMIT_SECONDS = 1;
const GIVE_UP_SECONDS = 10;

/** How long a revoked key still works, from the moment it stands in the database, while others keep the service busy. */
export async function revocation(
  workshop: Workshop,
  { dataDir, scale }: GrowthData,
  { origin }: Service,
): Promise<Line> {
  const times: number[] = [];
  using database = new DatabaseSync(join(dataDir, "dbdepot.sqlite"), { readOnly: true });
  const isRevoked = database.prepare("select revoked is not null as done from keys where prefix = ?");
  for (let round = 0; round < workshop.rounds; round += 1) {
    const number = freshKey(database, scale.keys);
    const databaseId = databaseIdOf(licensedFamily(scale, organizationOfKey(scale, number), 0), 1);
    const request = ASK.metadata({ key: keyText(number), databaseId });
    const requests = drawCustomers(scale, 20_000, round).map(ASK.metadata);
    const busy = load(workshop.loader, { origin, requests, connections: 16, seconds: 3 }, { status: 200 });
    if ((await exchange(origin, request)).status !== 200) throw new Error("the key did not work before it was revoked");
    const command = operate({ dataDir }, "keys", "revoke", keyPrefix(number));
    let revokedAt: number | undefined;
    for (const began = performance.now(); performance.now() - began < GIVE_UP_SECONDS * 1000; await delay(LOOK_MS)) {
      if (isRevoked.get(keyPrefix(number))?.done === 1) revokedAt ??= performance.now();
      if ((await exchange(origin, request)).status === 401) break;
    }
    const seconds = (performance.now() - (revokedAt ?? performance.now())) / 1000;
    await Promise.all([command, busy]);
    times.push(seconds);
    workshop.say(`growth-revoke ${round + 1}/${workshop.rounds}: ${amount(seconds, "s")}`);
  }
  // The slowest, not the median: it has to hold each time.
  const labels = { name: "growth-revoke", what: "large data: a revoked key refused, under load", unit: "s" } as const;
  return lone(labels, [Math.max(...times)], LIMIT_SECONDS);
}

/** One that no run before has revoked: the data may be kept. */
function freshKey(database: DatabaseSync, keys: number): number {
  const isFresh = database.prepare("select 1 from keys where prefix = ? and revoked is null");
  for (let number = keys - 1; number >= 0; number -= 1) if (isFresh.get(keyPrefix(number))) return number;
  throw new Error("every key is revoked");
}
