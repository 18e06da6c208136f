import { type Licence, wasEverHeld } from "../licences/licence.ts";
import type { Family } from "./family.ts";

/**
 * A private family exists only for those who hold, held or will hold a licence for it.
 * For everybody else its ids are as unknown as ids that never were.
 */
export function isVisible(family: Family, licences: readonly Licence[]): boolean {
  return family.visibility === "public" || licences.some(wasEverHeld);
}
