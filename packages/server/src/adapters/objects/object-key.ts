import type { ObjectKey } from "../../domain/builds/object-store.ts";

/** The limits of S3 and of common file systems, both in bytes. */
const MAX_KEY_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;

/**
 * Whether a string can name an object in every store: segments joined by "/", none of them empty or starting with a dot.
 * So no key leads out of the directory or to the disk store's own `.partial`. Control characters and backslashes are
 * invalid because systems disagree on their meaning, and lone surrogates because a link cannot contain them.
 */
export function isObjectKey(text: string): boolean {
  return (
    text.isWellFormed() &&
    Buffer.byteLength(text) <= MAX_KEY_BYTES &&
    text.split("/").every((segment) => /^[^.]/.test(segment) && Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES) &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
    !/[\u0000-\u001f\u007f\\]/.test(text)
  );
}

export function requireObjectKey(text: string): ObjectKey {
  if (!isObjectKey(text)) throw new TypeError(`${JSON.stringify(text)} is not a valid object key`);
  return text;
}
