import type { ObjectKey } from "./store.ts";

/** S3's limit, and the usual one of file systems. Both count bytes. */
const MAX_KEY_BYTES = 1024;
const MAX_SEGMENT_BYTES = 255;

/**
 * Whether a text can name an object in every store: segments joined by "/", none of them empty or beginning with a
 * dot. So no key can climb out of a folder, or reach the disk store's own `.partial`. Control characters and the
 * backslash are left out because systems disagree on what they mean, and a lone surrogate cannot be put in a link.
 */
export function isObjectKey(text: string): boolean {
  return (
    text.isWellFormed() &&
    Buffer.byteLength(text) <= MAX_KEY_BYTES &&
    text.split("/").every((segment) => /^[^.]/.test(segment) && Buffer.byteLength(segment) <= MAX_SEGMENT_BYTES) &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for.
    !/[\u0000-\u001f\u007f\\]/.test(text)
  );
}

export function requireObjectKey(text: string): ObjectKey {
  if (!isObjectKey(text)) throw new TypeError(`${JSON.stringify(text)} cannot be an object's key`);
  return text;
}
