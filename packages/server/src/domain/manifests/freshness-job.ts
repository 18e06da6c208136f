import type { Clock } from "../../platform/primitives/clock.ts";
import { conflict } from "../../platform/primitives/faults.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Store, Tables } from "../store.ts";
import { activeFreshnessKey, type FreshnessKey, issueFreshness } from "./freshness.ts";
import type { PrivateKey } from "./signing-key.ts";
import type { FreshnessRules } from "./store.ts";

/** How many statements are issued in one transaction. */
const BATCH = 100;

/** Renews the statements that are due: at half their life, and about manifests that have none yet. */
export function freshnessJob({
  store,
  clock,
  freshness: { privateKeys, lifeMs },
}: {
  store: Store;
  clock: Clock;
  freshness: FreshnessRules;
}): JobHandler<"renew_freshness"> {
  return {
    async run(_, { signal, change }) {
      const key = activeFreshnessKey(await store.freshnessKeys.list());
      if (!key) return;
      if (key.expires <= clock()) {
        throw conflict(
          `the endorsement of the freshness key ${key.keyId} has ended: run "dbdepot-server signing-keys rotate --freshness"`,
        );
      }
      const due = { keyId: key.keyId, limit: BATCH };
      // Most runs find nothing to do, which needs neither the key nor a transaction.
      if ((await store.freshness.due({ ...due, now: clock() })).length === 0) return;
      const privateKey = await privateKeys.read(key.keyId);
      let issued: number;
      do {
        issued = await change((tables) => renewDue(tables, { key, privateKey, now: clock(), lifeMs }));
      } while (issued === BATCH && !signal.aborted);
    },
  };
}

/** Issues the next statements that are due, and returns how many. */
export async function renewDue(
  tables: Tables,
  { key, privateKey, now, lifeMs }: { key: FreshnessKey; privateKey: PrivateKey; now: Date; lifeMs: number },
): Promise<number> {
  const entries = await tables.freshness.due({ keyId: key.keyId, now, limit: BATCH });
  for (const entry of entries) await tables.freshness.put(issueFreshness(privateKey, key, entry, now, lifeMs));
  return entries.length;
}
