import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** Two digits at a time: millions of keys are written for a run. */
const PAIRS = [...ALPHABET].flatMap((one) => [...ALPHABET].map((other) => one + other));

/**
 * The secret of the key with this number: the shape and checksum of a real one, and always the same, so that a million
 * of them need not be kept to be used.
 */
export function keyText(number: number): string {
  const body = `${keyPrefix(number)}_${base62(number * 31, 16)}${"benchbenchbench0"}`;
  return body + base62(crc32(body), 6);
}

export function keyPrefix(number: number): string {
  return `dbd_${base62(number, 8)}`;
}

function base62(number: number, length: number): string {
  let text = "";
  for (let rest = number; rest > 0; rest = Math.floor(rest / PAIRS.length)) text = PAIRS[rest % PAIRS.length] + text;
  return text.padStart(length, "0").slice(-length);
}
