import type { Checksums, Endorsement, Manifest, SignedManifest, SigningKeys } from "../wire.ts";

/** Readers of documents from a service or a mirror. They return undefined if a document is not what it should be. */

const SHA256 = /^[0-9a-f]{64}$/;
const DIGESTS: Record<keyof Checksums, RegExp> = {
  md5: /^[0-9a-f]{32}$/,
  sha1: /^[0-9a-f]{40}$/,
  sha256: SHA256,
  sha512: /^[0-9a-f]{128}$/,
};
/** Build ids become parts of paths on a mirror. */
const BUILD_ID = /^[0-9a-f-]{36}$/;
const TEXT_MAX_LENGTH = 100_000;

export function parseManifest(text: string): Manifest | undefined {
  const document = parseRecord(text);
  if (document?.format !== 1) return undefined;
  const { id, sequence, build_id: build, previous, files, metadata, created, published } = document;
  const isValid =
    typeof id === "string" &&
    Number.isSafeInteger(sequence) &&
    (sequence as number) >= 1 &&
    typeof created === "string" &&
    isNullOr(published, (value) => typeof value === "string") &&
    isNullOr(build, (value) => matches(value, BUILD_ID)) &&
    isNullOr(previous, (value) => matches(value, SHA256)) &&
    (previous === null) === (sequence === 1) &&
    isNullOr(metadata, (value) => isRecord(value) && isSize(value.size_bytes) && matches(value.sha256, SHA256)) &&
    isRecord(files) &&
    Object.values(files).every(isFile);
  return isValid ? (document as unknown as Manifest) : undefined;
}

export function parseEndorsement(text: string): Endorsement | undefined {
  const document = parseRecord(text);
  if (document?.format !== 1) return undefined;
  const { endorsed_key: key, endorsed_by: by, old_key_expires: expires } = document;
  const isValid = typeof key === "string" && typeof by === "string" && isTime(expires);
  return isValid ? (document as unknown as Endorsement) : undefined;
}

export function readSignedManifest(document: unknown): Pick<SignedManifest, "manifest" | "signature"> | undefined {
  if (!isRecord(document)) return undefined;
  const { manifest, signature } = document;
  return typeof manifest === "string" && typeof signature === "string" ? { manifest, signature } : undefined;
}

export function readSigningKeys(document: unknown): SigningKeys["keys"] {
  const keys = isRecord(document) && Array.isArray(document.keys) ? document.keys : [];
  return keys.filter(
    (key) =>
      isRecord(key) &&
      typeof key.public_key === "string" &&
      isNullOr(
        key.endorsement,
        (value) => isRecord(value) && typeof value.statement === "string" && typeof value.signature === "string",
      ),
  );
}

function isFile(file: unknown): boolean {
  if (!isRecord(file) || !isSize(file.size_bytes) || !isRecord(file.checksums)) return false;
  const { checksums } = file;
  return Object.entries(DIGESTS).every(([name, pattern]) => matches(checksums[name], pattern));
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  if (text.length > TEXT_MAX_LENGTH) return undefined;
  try {
    const document: unknown = JSON.parse(text);
    return isRecord(document) ? document : undefined;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNullOr(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === null || check(value);
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isTime(value: unknown): boolean {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === "string" && pattern.test(value);
}
