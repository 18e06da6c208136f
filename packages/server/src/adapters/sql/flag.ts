import type { Schema } from "./schema.ts";

/** A boolean as it is stored. */
export function toFlag(value: boolean): Schema["families"]["open"] {
  return value ? 1 : 0;
}
