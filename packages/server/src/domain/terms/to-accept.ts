import { isLive, type Licence } from "../licences/licence.ts";
import { standingOf } from "../licences/standing.ts";

/** The ids of the terms that an organization has accepted. */
export type AcceptedTerms = ReadonlySet<string>;

/**
 * The terms that keep an organization from downloading a family for which it has a live licence. Null if it has no live
 * licence, or one that requires no terms or only accepted ones: then any other licence does not matter.
 */
export function termsToAccept(licences: readonly Licence[], accepted: AcceptedTerms, now: Date): string | null {
  const live = licences.filter((licence) => isLive(licence, now));
  if (live.some(({ termsId }) => termsId === null || accepted.has(termsId))) return null;
  return standingOf(live, now).licence?.termsId ?? null;
}
