import { hash } from "node:crypto";
import { verifiedEndorsement } from "@dbdepot/contract/v2/endorsements";
import { type FreshnessText, verifiedFreshness } from "@dbdepot/contract/v2/freshness-proof";
import { parsePublicKey, parseSignature, type SignaturePublicKey, verifyDetached } from "@dbdepot/formats/minisign";
import { conflict, invalid } from "../../platform/primitives/faults.ts";
import type { Tables } from "../store.ts";
import type { ChainEntry } from "./manifest.ts";
import type { SigningKey } from "./signing-key.ts";

/**
 * Filters a mirror's keys: keeps those that are trusted or that a trusted key endorses, directly or through others. The
 * mirror's author can list any key, and customers would see it in this server's list. For the same reason, the expiry
 * of a key comes from the endorsement of its successor, not from the mirror.
 */
export function acceptedKeys(listed: readonly SigningKey[], trusted: readonly SignaturePublicKey[]): SigningKey[] {
  const isTrusted = ({ publicKey }: SigningKey) => trusted.some(({ text }) => text === publicKey);
  const accepted = listed.filter(isTrusted).map((key) => ({ ...key, expires: null as Date | null }));
  // The loop also visits the keys that it adds.
  for (const old of accepted) {
    for (const key of listed) {
      const candidate = parsePublicKey(key.publicKey);
      const endorsement = candidate && key.endorsement && verifiedEndorsement(candidate, key.endorsement, old);
      if (!endorsement) continue;
      old.expires = new Date(endorsement.old_key_expires);
      if (!accepted.some(({ publicKey }) => publicKey === key.publicKey)) accepted.push({ ...key, expires: null });
    }
  }
  return accepted.filter(({ keyId, publicKey }) => parsePublicKey(publicKey)?.keyId === keyId);
}

/**
 * Stores the vendor's statement about the newest manifest, so that this server passes it on. Ignores one that no accepted key
 * endorses, that is about another manifest, or that is no newer than the one that is stored: clients would refuse it.
 */
export async function addImportedFreshness(
  tables: Tables,
  accepted: readonly SigningKey[],
  text: FreshnessText | undefined,
  newest: ChainEntry,
): Promise<void> {
  const verified = text && verifiedFreshness(text, accepted);
  if (!text || !verified) return;
  const { statement, endorsement, keyId } = verified;
  const { sequence, manifest_sha256: digest } = statement;
  const isAbout = statement.id === newest.versionId && sequence === newest.sequence;
  if (!isAbout || digest !== hash("sha256", newest.body)) return;
  const before = await tables.freshness.find(newest.versionId);
  if (before && before.issued >= new Date(statement.issued)) return;
  const known = (await tables.freshnessKeys.list()).find((key) => key.keyId === keyId);
  if (known && !known.isImported) throw conflict(`key ${keyId} is this server's own`);
  if (!known) {
    const { freshness_key: publicKey, created, expires } = endorsement;
    await tables.freshnessKeys.insert({
      ...{ keyId, publicKey, created: new Date(created), expires: new Date(expires), endorsement: text.endorsement },
      ...{ replaced: null, isRevoked: false, isImported: true },
    });
  } else if (known.endorsement.statement !== text.endorsement.statement) {
    await tables.freshnessKeys.setEndorsement(keyId, text.endorsement);
  }
  const validUntil = new Date(statement.valid_until);
  await tables.freshness.put({
    ...{ versionId: newest.versionId, sequence, body: text.statement, signature: text.signature, keyId },
    ...{ issued: new Date(statement.issued), validUntil, renewal: validUntil },
  });
}

/**
 * Adds the accepted keys to the server's list. Fails unless one of them, or a key that was imported before, signed
 * every manifest that is about to be added.
 */
export async function addImportedKeys(
  tables: Tables,
  accepted: readonly SigningKey[],
  added: readonly ChainEntry[],
): Promise<void> {
  const known = new Map((await tables.signingKeys.list()).map((key) => [key.keyId, key]));
  for (const { keyId, versionId, sequence, body, signature: text } of added) {
    const old = known.get(keyId);
    if (old?.isImported === false) throw conflict(`key ${keyId} is this server's own`);
    const key = old ?? accepted.find((one) => one.keyId === keyId);
    if (!key) {
      throw invalid(
        `manifest ${sequence} of ${versionId} is signed with key ${keyId}, which is not trusted: if the vendor has used this key, pass its public key with --trust too, separated by a comma`,
      );
    }
    const publicKey = parsePublicKey(key.publicKey);
    const signature = parseSignature(text);
    if (!publicKey || !signature || !verifyDetached(Buffer.from(body), signature, publicKey)) {
      throw invalid(`the signature of manifest ${sequence} of ${versionId} is wrong`);
    }
  }
  for (const key of accepted) {
    const old = known.get(key.keyId);
    if (!old) await tables.signingKeys.insert(key);
    else if (old.isImported && key.expires && !old.expires) await tables.signingKeys.setExpires(key.keyId, key.expires);
  }
}
