import { enqueue } from "../jobs/jobs.ts";
import type { Operation, Tables } from "../store.ts";
import { activeFreshnessKey, endorseFreshnessKey, FRESHNESS_LIFE_MS, issueFreshness, revokedIds } from "./freshness.ts";
import type { ChainEntry } from "./manifest.ts";
import type { PrivateKey } from "./signing-key.ts";
import type { FreshnessRules } from "./store.ts";

/**
 * Returns a function that issues statements about new manifests in the transaction of the change. If this process does not
 * have the key, a job of another process issues them right afterwards: a missing freshness key must not stop a publish.
 */
export async function freshnessIssuer(
  tables: Tables,
  { rules, now }: Pick<Operation, "rules" | "now">,
): Promise<(entry: ChainEntry) => Promise<void>> {
  const active = activeFreshnessKey(await tables.freshnessKeys.list());
  if (!active) return async () => {};
  const privateKey = await readFreshnessKey(rules?.freshness, active.keyId);
  if (!privateKey) return () => enqueue(tables, "renew_freshness", {}, now);
  const lifeMs = rules?.freshness?.lifeMs ?? FRESHNESS_LIFE_MS;
  return (entry) => tables.freshness.put(issueFreshness(privateKey, active, entry, now, lifeMs));
}

/** Endorses the freshness key again, because a new signing key takes the old one's place. */
export async function endorseAgain(tables: Tables, { now }: Operation, signingKey: PrivateKey): Promise<void> {
  const keys = await tables.freshnessKeys.list();
  const active = activeFreshnessKey(keys);
  if (!active) return;
  const endorsement = endorseFreshnessKey(signingKey, active, { now, revoked: revokedIds(keys) });
  await tables.freshnessKeys.setEndorsement(active.keyId, endorsement);
}

async function readFreshnessKey(rules: FreshnessRules | undefined, keyId: string): Promise<PrivateKey | undefined> {
  if (!rules || rules.lifeMs === 0) return undefined;
  return rules.privateKeys.read(keyId).catch(() => undefined);
}
