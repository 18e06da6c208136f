import type { KeyLookup, KeyProblem } from "../access/authenticate-key.ts";
import { PlainKey, type SecretHash } from "../access/secret.ts";
import { hashUuid, type LegacyKey, normalizeUuid } from "./legacy-key.ts";

interface LegacyRefused {
  key?: undefined;
  problem: KeyProblem;
  /** The requester, as far as it could be resolved. */
  who: { organizationId: string | null; keyId: string | null };
}

export type LegacyAuthentication = { key: LegacyKey } | LegacyRefused;

export interface LegacyKeyLookup extends KeyLookup {
  legacyKey(hash: SecretHash): Promise<LegacyKey | undefined>;
}

export async function authenticateLegacy(
  keys: LegacyKeyLookup,
  presented: string | undefined,
): Promise<LegacyAuthentication> {
  if (presented === undefined) return unresolved("missing");
  const uuid = normalizeUuid(presented);
  if (uuid === undefined) return refuseV2Key(keys, presented);
  const key = await keys.legacyKey(hashUuid(uuid));
  if (!key) return unresolved("unknown");
  if (!key.revoked) return { key };
  return { problem: "revoked", who: { organizationId: key.organizationId, keyId: key.id } };
}

/** v1 doesn't accept v2 keys, but the key's owner sees the attempt in the history. */
async function refuseV2Key(keys: KeyLookup, presented: string): Promise<LegacyRefused> {
  const plain = PlainKey.parse(presented);
  const key = plain && (await keys.key(plain.hash()));
  if (!key) return unresolved("malformed");
  return { problem: "v2_key", who: { organizationId: key.organizationId, keyId: key.id } };
}

function unresolved(problem: KeyProblem): LegacyRefused {
  return { problem, who: { organizationId: null, keyId: null } };
}
