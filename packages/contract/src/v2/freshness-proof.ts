import { parsePublicKey, parseSignature, verifyDetached } from "../../../formats/src/minisign.ts";
import type { SignedEndorsement } from "./endorsements.ts";
import type { FreshnessEndorsement, FreshnessStatement } from "./freshness.ts";

/** A statement of freshness as services and mirrors publish it. For Node.js only. */
export interface FreshnessText {
  statement: string;
  signature: string;
  endorsement: SignedEndorsement;
}

/** A statement that a key signed which a signing key has endorsed for that. */
export interface VerifiedFreshness {
  statement: FreshnessStatement;
  endorsement: FreshnessEndorsement;
  /** The id of the freshness key. */
  keyId: string;
  /** The public key that endorsed it. */
  endorser: string;
}

const TEXT_MAX_LENGTH = 100_000;
const DIGEST = /^[0-9a-f]{64}$/;

/** The trusted comments differ from those of manifests and of endorsements of signing keys, so people see the difference too. */
export function freshnessComment({ id, sequence }: Pick<FreshnessStatement, "id" | "sequence">): string {
  return `dbdepot freshness ${id} ${sequence}`;
}

export function freshnessKeyComment(keyId: string): string {
  return `dbdepot freshness key ${keyId}`;
}

/** Returns undefined if the text is not a statement of freshness. */
function parseFreshness(text: string): FreshnessStatement | undefined {
  const document = parseRecord(text);
  if (document?.format !== 1 || document.type !== "freshness") return undefined;
  const { id, sequence, manifest_sha256: digest, issued, valid_until: until } = document;
  const isValid =
    typeof id === "string" &&
    Number.isSafeInteger(sequence) &&
    (sequence as number) >= 1 &&
    typeof digest === "string" &&
    DIGEST.test(digest) &&
    isTime(issued) &&
    isTime(until);
  return isValid ? (document as unknown as FreshnessStatement) : undefined;
}

/** Returns undefined if the text is not an endorsement of a freshness key. */
function parseFreshnessEndorsement(text: string): FreshnessEndorsement | undefined {
  const document = parseRecord(text);
  if (document?.format !== 1 || document.role !== "freshness") return undefined;
  const { freshness_key: key, endorsed_by: by, created, expires, revoked } = document;
  const isList = Array.isArray(revoked) && revoked.every((id) => typeof id === "string");
  const isValid = typeof key === "string" && typeof by === "string" && isTime(created) && isTime(expires) && isList;
  return isValid ? (document as unknown as FreshnessEndorsement) : undefined;
}

/**
 * Returns the statement if one of the signing keys endorsed the key that signed it. Does not look at any time: the caller
 * decides whether the statement and the endorsement have ended.
 */
export function verifiedFreshness(
  { statement: text, signature, endorsement: signed }: FreshnessText,
  signingKeys: readonly { publicKey: string }[],
): VerifiedFreshness | undefined {
  const statement = parseFreshness(text);
  const endorsement = parseFreshnessEndorsement(signed.statement);
  const key = endorsement && parsePublicKey(endorsement.freshness_key);
  if (!statement || !key) return undefined;
  // A signing key never signs statements, and a freshness key never endorses anything.
  if (signingKeys.some(({ publicKey }) => parsePublicKey(publicKey)?.text === key.text)) return undefined;
  const endorser = signingKeys.find(
    ({ publicKey }) =>
      parsePublicKey(publicKey)?.keyId === endorsement.endorsed_by &&
      isSigned(signed.statement, signed.signature, publicKey, freshnessKeyComment(key.keyId)),
  );
  if (!endorser || !isSigned(text, signature, key.text, freshnessComment(statement))) return undefined;
  return { statement, endorsement, keyId: key.keyId, endorser: endorser.publicKey };
}

function isSigned(text: string, signatureText: string, publicKeyText: string, comment: string): boolean {
  const signature = parseSignature(signatureText);
  const publicKey = parsePublicKey(publicKeyText);
  if (!signature || !publicKey || signature.trustedComment !== comment) return false;
  return verifyDetached(Buffer.from(text), signature, publicKey);
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  if (text.length > TEXT_MAX_LENGTH) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === "object" && document !== null ? (document as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
