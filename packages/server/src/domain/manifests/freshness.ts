import { hash } from "node:crypto";
import type { FreshnessEndorsement, FreshnessStatement } from "@dbdepot/contract/v2/freshness";
import { freshnessComment, freshnessKeyComment } from "@dbdepot/contract/v2/freshness-proof";
import { DAY_MS } from "../../platform/primitives/dates.ts";
import type { ChainEntry } from "./manifest.ts";
import type { PrivateKey, SignedStatement } from "./signing-key.ts";

/** The public half of a key that signs statements of freshness, and nothing else. */
export interface FreshnessKey {
  keyId: string;
  publicKey: string;
  created: Date;
  /** When its endorsement ends. */
  expires: Date;
  /** When another key took its place; null while it is in use. */
  replaced: Date | null;
  /** Whether it was lost or stolen. Endorsements of later keys tell clients never to accept it again. */
  isRevoked: boolean;
  /** How the signing key endorsed it. */
  endorsement: SignedStatement;
  /** Whether it belongs to the vendor from whose mirror builds were imported. It never signs here. */
  isImported: boolean;
}

/** The newest statement about a version: which manifest is the newest, and until when that may be relied on. */
export interface Freshness {
  versionId: string;
  sequence: number;
  /** The text that is signed, byte for byte. */
  body: string;
  signature: string;
  keyId: string;
  issued: Date;
  validUntil: Date;
  /** When a new one is due. */
  renewal: Date;
}

/** The key that signs statements from now on. Undefined if this service issues none. */
export function activeFreshnessKey(keys: readonly FreshnessKey[]): FreshnessKey | undefined {
  return keys.findLast((key) => !key.isImported && key.replaced === null);
}

/** The default of `rules.freshness`. */
export const FRESHNESS_LIFE_MS = DAY_MS;

/** Signs that this manifest is the newest one. */
export function issueFreshness(
  privateKey: PrivateKey,
  { expires }: Pick<FreshnessKey, "expires">,
  { versionId: id, sequence, body: manifest }: Pick<ChainEntry, "versionId" | "sequence" | "body">,
  now: Date,
  lifeMs: number,
): Freshness {
  // Clients would not accept it for longer than the key that signs it.
  const validUntil = new Date(Math.min(now.getTime() + lifeMs, expires.getTime()));
  const statement: FreshnessStatement = {
    format: 1,
    type: "freshness",
    id,
    sequence,
    manifest_sha256: hash("sha256", manifest),
    issued: now.toISOString(),
    valid_until: validUntil.toISOString(),
  };
  const body = `${JSON.stringify(statement, null, 2)}\n`;
  return {
    versionId: id,
    sequence,
    body,
    signature: privateKey.sign(body, freshnessComment(statement)),
    keyId: privateKey.keyId,
    issued: now,
    validUntil,
    renewal: new Date(now.getTime() + lifeMs / 2),
  };
}

/** The statement with which a signing key endorses a freshness key. */
export function endorseFreshnessKey(
  signingKey: PrivateKey,
  { keyId, publicKey, expires }: Pick<FreshnessKey, "keyId" | "publicKey" | "expires">,
  { now, revoked }: { now: Date; revoked: readonly string[] },
): SignedStatement {
  const endorsement: FreshnessEndorsement = {
    format: 1,
    role: "freshness",
    freshness_key: publicKey,
    endorsed_by: signingKey.keyId,
    created: now.toISOString(),
    expires: expires.toISOString(),
    revoked: [...revoked],
  };
  const statement = `${JSON.stringify(endorsement, null, 2)}\n`;
  return { statement, signature: signingKey.sign(statement, freshnessKeyComment(keyId)) };
}

/** The keys that clients must never accept again. */
export function revokedIds(keys: readonly FreshnessKey[]): string[] {
  return keys.filter(({ isRevoked, isImported }) => isRevoked && !isImported).map(({ keyId }) => keyId);
}
