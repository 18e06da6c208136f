import { type Licence, wasEverHeld } from "../licences/licence.ts";
import type { Family } from "./family.ts";

/**
 * Customers cannot see an archived family, and only organizations that hold, held or will hold a licence can see a private
 * one. To everyone else, its ids look like ids that never existed.
 */
export function isVisible(family: Family, licences: readonly Licence[]): boolean {
  return family.archived === null && (family.visibility === "public" || licences.some(wasEverHeld));
}
