import type { Standing } from "@dbdepot/contract/v2/catalogue";
import type { Family } from "../catalogue/family.ts";
import type { AcceptedTerms } from "../terms/terms.ts";
import { hasEnded, isLive, type Licence, wasEverHeld } from "./licence.ts";

export interface FamilyStanding {
  standing: Standing;
  /** The licence that the standing is based on. */
  licence: Licence | undefined;
}

/**
 * An organization's standing for one family, from all its licences for it. Both the list and downloads
 * (downloads/decide.ts) use it, so they cannot disagree.
 *
 * A live licence wins; of several, the one that ends last. Otherwise the one that ended last. Otherwise the one that
 * begins first, which grants nothing yet: only operators see when it will.
 */
export function standingOf(licences: readonly Licence[], now: Date): FamilyStanding {
  const live = best(licences, (licence) => isLive(licence, now), endsLater);
  if (live) return { standing: "licensed", licence: live };
  const ended = best(licences, (licence) => hasEnded(licence, now), endsLater);
  if (ended) return { standing: "expired", licence: ended };
  return { standing: "unlicensed", licence: best(licences, wasEverHeld, startsEarlier) };
}

/**
 * Customers cannot see an archived family, and only organizations that hold, held or will hold a licence can see a private
 * one. To everyone else, its ids look like ids that never existed.
 */
export function isVisible(family: Family, licences: readonly Licence[]): boolean {
  return family.archived === null && (family.visibility === "public" || licences.some(wasEverHeld));
}

/**
 * The terms that keep an organization from downloading a family for which it has a live licence. Null if it has no live
 * licence, or one that requires no terms or only accepted ones: then any other licence does not matter.
 */
export function termsToAccept(licences: readonly Licence[], accepted: AcceptedTerms, now: Date): string | null {
  const live = licences.filter((licence) => isLive(licence, now));
  if (live.some(({ termsId }) => termsId === null || accepted.has(termsId))) return null;
  return standingOf(live, now).licence?.termsId ?? null;
}

function best(
  licences: readonly Licence[],
  counts: (licence: Licence) => boolean,
  beats: (one: Licence, other: Licence) => boolean,
): Licence | undefined {
  let chosen: Licence | undefined;
  for (const licence of licences) {
    if (counts(licence) && (!chosen || beats(licence, chosen))) chosen = licence;
  }
  return chosen;
}

function endsLater(one: Licence, other: Licence): boolean {
  const oneEnds = one.expires?.getTime() ?? Number.POSITIVE_INFINITY;
  const otherEnds = other.expires?.getTime() ?? Number.POSITIVE_INFINITY;
  return oneEnds === otherEnds ? wasGrantedLater(one, other) : oneEnds > otherEnds;
}

function startsEarlier(one: Licence, other: Licence): boolean {
  const difference = one.starts.getTime() - other.starts.getTime();
  return difference === 0 ? wasGrantedLater(one, other) : difference < 0;
}

/** Ids are ordered by time, so ties do not depend on the order in which licences are read. */
function wasGrantedLater(one: Licence, other: Licence): boolean {
  return one.id > other.id;
}
