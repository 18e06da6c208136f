import { type Licence, wasEverHeld } from "../licences/licence.ts";
import type { Family } from "./family.ts";

/**
 * An archived family exists for no customer, a private one only for organizations that hold, held or will hold a licence
 * for it. For everyone else its ids are like ids that never existed.
 */
export function isVisible(family: Family, licences: readonly Licence[]): boolean {
  return family.archived === null && (family.visibility === "public" || licences.some(wasEverHeld));
}
