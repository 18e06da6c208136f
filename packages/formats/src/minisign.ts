import { createHash, createPublicKey, type KeyObject, sign as signBytes, verify as verifyBytes } from "node:crypto";

/**
 * Keys and detached signatures in the format of minisign (https://jedisct1.github.io/minisign/), so that customers can
 * check signatures without our software. For Node.js only.
 */
export interface SignaturePublicKey {
  /** 16 hexadecimal digits, as minisign prints them. */
  keyId: string;
  /** One line of base64, as `minisign -P` expects it. */
  text: string;
  key: KeyObject;
}

export interface DetachedSignature {
  /** The key that made it. */
  keyId: string;
  trustedComment: string;
  /** Signs the message's BLAKE2b-512 digest. */
  signature: Buffer;
  /** Signs the signature and the trusted comment. */
  globalSignature: Buffer;
}

const KEY_ALGORITHM = "Ed";
/** Capital letters mean that the message is hashed before it is signed. */
const SIGNATURE_ALGORITHM = "ED";
const KEY_ID_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const TEXT_MAX_LENGTH = 4096;
const UNTRUSTED_COMMENT = "untrusted comment: ";
const TRUSTED_COMMENT = "trusted comment: ";

export function signaturePublicKey(key: KeyObject): SignaturePublicKey {
  const bytes = Buffer.from(key.export({ format: "jwk" }).x ?? "", "base64url");
  if (key.asymmetricKeyType !== "ed25519" || bytes.length !== KEY_BYTES) throw new Error("not an Ed25519 key");
  return publicKeyOf(idOf(bytes), bytes);
}

/** Accepts the line of base64, or a whole public key file. Undefined if it is neither. */
export function parsePublicKey(text: string): SignaturePublicKey | undefined {
  if (text.length > TEXT_MAX_LENGTH) return undefined;
  const lines = linesOf(text);
  if (lines[0]?.startsWith(UNTRUSTED_COMMENT)) lines.shift();
  const bytes = lines.length === 1 ? decode(lines[0], KEY_ALGORITHM, KEY_BYTES) : undefined;
  return bytes && publicKeyOf(bytes.id, bytes.rest);
}

/** Signs a message. The result is the content of a `.minisig` file. */
export function signDetached(message: Uint8Array, privateKey: KeyObject, trustedComment: string): string {
  const publicKey = signaturePublicKey(createPublicKey(privateKey));
  const signature = signBytes(null, digestOf(message), privateKey);
  const globalSignature = signBytes(null, globalMessage(signature, trustedComment), privateKey);
  const id = bytesOfId(publicKey.keyId);
  return `${[
    `${UNTRUSTED_COMMENT}signature from dbdepot key ${publicKey.keyId}`,
    Buffer.concat([Buffer.from(SIGNATURE_ALGORITHM), id, signature]).toString("base64"),
    `${TRUSTED_COMMENT}${trustedComment}`,
    globalSignature.toString("base64"),
  ].join("\n")}\n`;
}

/** Undefined if it is not a signature of a hashed message, which is what `minisign` makes by default. */
export function parseSignature(text: string): DetachedSignature | undefined {
  if (text.length > TEXT_MAX_LENGTH) return undefined;
  const lines = linesOf(text);
  const [untrusted, first, trusted, last] = lines;
  if (lines.length !== 4 || !untrusted?.startsWith(UNTRUSTED_COMMENT) || !trusted?.startsWith(TRUSTED_COMMENT)) {
    return undefined;
  }
  const bytes = decode(first, SIGNATURE_ALGORITHM, SIGNATURE_BYTES);
  const globalSignature = fromBase64(last);
  if (!bytes || globalSignature?.length !== SIGNATURE_BYTES) return undefined;
  const trustedComment = trusted.slice(TRUSTED_COMMENT.length);
  return { keyId: hexOfId(bytes.id), trustedComment, signature: bytes.rest, globalSignature };
}

/** Whether the key signed exactly this message, and the trusted comment. */
export function verifyDetached(
  message: Uint8Array,
  { keyId, signature, globalSignature, trustedComment }: DetachedSignature,
  publicKey: SignaturePublicKey,
): boolean {
  return (
    keyId === publicKey.keyId &&
    verifyBytes(null, digestOf(message), publicKey.key, signature) &&
    verifyBytes(null, globalMessage(signature, trustedComment), publicKey.key, globalSignature)
  );
}

function publicKeyOf(id: Buffer, bytes: Buffer): SignaturePublicKey {
  return {
    keyId: hexOfId(id),
    text: Buffer.concat([Buffer.from(KEY_ALGORITHM), id, bytes]).toString("base64"),
    key: createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") }, format: "jwk" }),
  };
}

/** minisign chooses ids at random. Ours are derived from the key, so that a PKCS#8 file needs nothing beside it. */
function idOf(publicKey: Buffer): Buffer {
  return createHash("sha256").update(publicKey).digest().subarray(0, KEY_ID_BYTES);
}

/** minisign prints the id as a little-endian number. */
function hexOfId(id: Buffer): string {
  return Buffer.from(id).reverse().toString("hex").toUpperCase();
}

function bytesOfId(keyId: string): Buffer {
  return Buffer.from(keyId, "hex").reverse();
}

function digestOf(message: Uint8Array): Buffer {
  return createHash("blake2b512").update(message).digest();
}

function globalMessage(signature: Buffer, trustedComment: string): Buffer {
  return Buffer.concat([signature, Buffer.from(trustedComment)]);
}

function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function decode(line: string | undefined, algorithm: string, length: number): { id: Buffer; rest: Buffer } | undefined {
  const bytes = fromBase64(line);
  if (bytes?.length !== algorithm.length + KEY_ID_BYTES + length) return undefined;
  if (bytes.toString("latin1", 0, algorithm.length) !== algorithm) return undefined;
  const start = algorithm.length + KEY_ID_BYTES;
  return { id: bytes.subarray(algorithm.length, start), rest: bytes.subarray(start) };
}

/** Node ignores characters that are not base64, minisign does not. */
function fromBase64(line: string | undefined): Buffer | undefined {
  const text = line?.trim() ?? "";
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
