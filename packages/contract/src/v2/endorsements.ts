import {
  parsePublicKey,
  parseSignature,
  type SignaturePublicKey,
  verifyDetached,
} from "../../../formats/src/minisign.ts";
import type { Endorsement } from "./manifests.ts";

/** A key's statement about its successor, as services and mirrors publish it. For Node.js only. */
export interface SignedEndorsement {
  statement: string;
  signature: string;
}

const STATEMENT_MAX_LENGTH = 100_000;

/** Returns undefined if the text is not an endorsement. */
export function parseEndorsement(text: string): Endorsement | undefined {
  if (text.length > STATEMENT_MAX_LENGTH) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document !== "object" || document === null) return undefined;
    const { format, endorsed_key: key, endorsed_by: by, old_key_expires: expires } = document as Partial<Endorsement>;
    const isTime = typeof expires === "string" && !Number.isNaN(Date.parse(expires));
    const isValid = format === 1 && typeof key === "string" && typeof by === "string" && isTime;
    return isValid ? (document as Endorsement) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the endorsement if `by` really made it for `candidate`, else undefined. */
export function verifiedEndorsement(
  candidate: SignaturePublicKey,
  { statement, signature: text }: SignedEndorsement,
  by: { publicKey: string },
): Endorsement | undefined {
  const endorsement = parseEndorsement(statement);
  const publicKey = parsePublicKey(by.publicKey);
  const signature = parseSignature(text);
  if (!endorsement || !publicKey || !signature) return undefined;
  const isAbout = endorsement.endorsed_key === candidate.text && endorsement.endorsed_by === publicKey.keyId;
  return isAbout && verifyDetached(Buffer.from(statement), signature, publicKey) ? endorsement : undefined;
}
