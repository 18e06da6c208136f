import { parsePublicKey, parseSignature, type SignaturePublicKey, verifyDetached } from "@dbdepot/contract/minisign";
import type { SigningKeys } from "../wire.ts";
import { parseEndorsement } from "./documents.ts";

/** A public key that may sign manifests. */
export interface TrustedKey {
  key_id: string;
  public_key: string;
  /** When it stops being valid for current builds; null if it was not replaced. */
  expires: string | null;
  /** Why it is trusted. */
  reason: "given" | "first use" | "endorsed";
  since: string;
}

/** The newest manifest of a database that was accepted. */
export interface SeenManifest {
  sequence: number;
  sha256: string;
}

/** Whom to believe, and what was already seen. */
export interface Trust {
  keys: TrustedKey[];
  /** By database. */
  databases: Record<string, SeenManifest>;
}

/** Where it is kept. */
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
      const old = keys.find((key) => isEndorsed(candidate, endorsement, key, now));
      if (!old) continue;
      keys.push(trustedKey(candidate, "endorsed", now));
      old.expires = parseEndorsement(endorsement.statement)?.old_key_expires ?? null;
      isNew = true;
    }
  }
  return keys;
}

function isEndorsed(
  candidate: SignaturePublicKey,
  { statement, signature: text }: { statement: string; signature: string },
  by: TrustedKey,
  now: Date,
): boolean {
  // Someone may have found the key after it was replaced.
  if (isExpired(by, now)) return false;
  const endorsement = parseEndorsement(statement);
  if (endorsement?.endorsed_key !== candidate.text || endorsement.endorsed_by !== by.key_id) return false;
  const signature = parseSignature(text);
  const publicKey = parsePublicKey(by.public_key);
  return !!signature && !!publicKey && verifyDetached(Buffer.from(statement), signature, publicKey);
}

export function isExpired({ expires }: TrustedKey, now: Date): boolean {
  return expires !== null && new Date(expires) <= now;
}
