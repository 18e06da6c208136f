import { verifiedEndorsement } from "@dbdepot/contract/v2/endorsements";
import { parsePublicKey, type SignaturePublicKey } from "@dbdepot/formats/minisign";
import type { SigningKeys } from "../api/wire.gen.ts";
import type { Freshness } from "./results.ts";

/** A public key that may sign manifests. */
export interface TrustedKey {
  key_id: string;
  public_key: string;
  /** When it stops being valid for current builds; null if it was not replaced. */
  expires: string | null;
  /** Why it is trusted. */
  reason: "given" | "first use" | "endorsed";
  /** The public key that endorsed it. */
  endorsed_by?: string;
  since: string;
}

/** The newest manifest of a database that was accepted. */
export interface SeenManifest {
  sequence: number;
  sha256: string;
  /** The public key that verified it. Absent in files of earlier versions. */
  public_key?: string;
  /** The build it is about. Absent in files of earlier versions. */
  build_id?: string | null;
  /** The newest statement of freshness that was accepted. Once there was one, its absence is an error. */
  freshness?: Freshness;
}

/** The trusted keys, and the newest manifests that have been accepted. */
export interface Trust {
  keys: TrustedKey[];
  /** The newest manifest seen of each database. */
  databases: Record<string, SeenManifest>;
  /** Ids of freshness keys that were stolen, according to an endorsement. */
  revoked_freshness_keys?: readonly string[];
}

/** Stores the trusted keys and the accepted manifests. */
export interface TrustStore {
  read(): Promise<Trust>;
  update(apply: (trust: Trust) => void): Promise<void>;
}

export function memoryTrust(): TrustStore {
  const trust: Trust = { keys: [], databases: {} };
  return {
    read: async () => trust,
    update: async (apply) => apply(trust),
  };
}

export function trustedKey(publicKey: SignaturePublicKey, reason: TrustedKey["reason"], now: Date): TrustedKey {
  return {
    key_id: publicKey.keyId,
    public_key: publicKey.text,
    expires: null,
    reason,
    since: now.toISOString(),
  };
}

/**
 * The keys to start with. Given keys replace all others: stored keys are kept only if a given key endorsed them,
 * directly or through others. A given key that is stored keeps its expiry, so that a replaced key stays replaced.
 */
export function trustedKeys(given: readonly SignaturePublicKey[], stored: TrustedKey[], now: Date): TrustedKey[] {
  if (given.length === 0) return stored;
  const roots = given.map((key) => {
    const known = stored.find(({ public_key: text }) => text === key.text);
    return known?.reason === "given" ? known : { ...trustedKey(key, "given", now), expires: known?.expires ?? null };
  });
  const kept: TrustedKey[] = [...roots];
  // The loop also visits the keys that it adds.
  for (const { public_key: endorser } of kept) {
    kept.push(...stored.filter((key) => key.endorsed_by === endorser && !isAmong(kept, key)));
  }
  return kept;
}

function isAmong(keys: readonly TrustedKey[], { public_key: text }: TrustedKey): boolean {
  return keys.some((key) => key.public_key === text);
}

/** Whether both lists contain the same keys with the same reasons. */
export function areSameKeys(some: readonly TrustedKey[], others: readonly TrustedKey[]): boolean {
  const isIn = (list: readonly TrustedKey[]) => (key: TrustedKey) =>
    list.some((other) => other.public_key === key.public_key && other.reason === key.reason);
  return some.length === others.length && some.every(isIn(others));
}

/** Adds the keys that trusted keys endorse, directly or through others, and dates the keys that they replace. */
export function followEndorsements(
  trusted: readonly TrustedKey[],
  published: SigningKeys["keys"],
  now: Date,
): TrustedKey[] {
  const keys = trusted.map((key) => ({ ...key }));
  // Endorsements are listed in any order, so repeat until none adds a key.
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { public_key: text, endorsement } of published) {
      const candidate = parsePublicKey(text);
      if (!candidate || !endorsement || keys.some((key) => key.public_key === candidate.text)) continue;
      for (const old of keys) {
        // Someone may have found an expired key after it was replaced.
        const verified = isExpired(old, now)
          ? undefined
          : verifiedEndorsement(candidate, endorsement, { publicKey: old.public_key });
        if (!verified) continue;
        old.expires = verified.old_key_expires;
        keys.push({ ...trustedKey(candidate, "endorsed", now), endorsed_by: old.public_key });
        isNew = true;
        break;
      }
    }
  }
  return keys;
}

export function isExpired({ expires }: TrustedKey, now: Date): boolean {
  return expires !== null && new Date(expires) <= now;
}
