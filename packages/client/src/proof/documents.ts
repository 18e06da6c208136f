import { areChecksums, isBuildId, isDatabaseId, isRecord, isSha256, isSize } from "../api/incoming.ts";
import type { Manifest, SignedManifest, SigningKeys } from "../api/wire.gen.ts";

/** Readers of documents from a service or a mirror. They return undefined if a document is not what it should be. */

const TEXT_MAX_LENGTH = 100_000;

export function parseManifest(text: string): Manifest | undefined {
  const document = parseRecord(text);
  if (document?.format !== 1) return undefined;
  const { id, sequence, build_id: build, previous, files, metadata, created, published } = document;
  const isValid =
    isDatabaseId(id) &&
    Number.isSafeInteger(sequence) &&
    (sequence as number) >= 1 &&
    typeof created === "string" &&
    isNullOr(published, (value) => typeof value === "string") &&
    isNullOr(build, isBuildId) &&
    isNullOr(previous, isSha256) &&
    (previous === null) === (sequence === 1) &&
    isNullOr(metadata, (value) => isRecord(value) && isSize(value.size_bytes) && isSha256(value.sha256)) &&
    isRecord(files) &&
    Object.values(files).every(isFile);
  return isValid ? (document as unknown as Manifest) : undefined;
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
  return isRecord(file) && isSize(file.size_bytes) && areChecksums(file.checksums);
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

function isNullOr(value: unknown, check: (value: unknown) => boolean): boolean {
  return value === null || check(value);
}
