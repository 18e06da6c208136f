import { hash, randomUUID } from "node:crypto";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const COUNTER_LIMIT = 1 << 12;
/** The position at which the second half of a UUID begins. */
const RANDOM_HALF = "00000000-0000-7000-".length;

let lastMs = 0;
let counter = 0;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * A UUID of version 7 (RFC 9562): ids sort by creation time, and those of one
 * process never go backwards, so that history pages neither repeat nor skip a row.
 */
export function newId(now: Date): string {
  const ms = now.getTime();
  if (ms > lastMs) {
    lastMs = ms;
    counter = 0;
  } else {
    counter += 1;
    if (counter === COUNTER_LIMIT) {
      lastMs += 1;
      counter = 0;
    }
  }
  // The second half of a random UUID has the same layout, with the variant's two bits at its start. Node makes them in
  // batches.
  const random = randomUUID().slice(RANDOM_HALF);
  const time = lastMs.toString(16).padStart(12, "0");
  const sequence = counter.toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${random}`;
}

/** A UUID of version 8 that is always the same for the same text. */
export function idOf(text: string): string {
  const bytes = hash("sha256", text, "buffer").subarray(0, 16);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

/** Returns a lower bound for ids created at `time` or later, to query rows by time if they are ordered by id. */
export function firstIdOf(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
