import type { Standing } from "@dbdepot/contract/v2/catalogue";
import type { DownloadRefusal, Offer, Question } from "../../../src/domain/downloads/decide.ts";
import type { Licence } from "../../../src/domain/licences/licence.ts";

/**
 * A second implementation of the licence rules, written sentence by sentence from the specification and independent of
 * the product's code, which the tests compare with it.
 */

/** "A licence is live while starts <= now < expires." */
function isLive(licence: Licence, now: Date): boolean {
  return licence.starts.getTime() <= now.getTime() && now.getTime() < endOf(licence);
}

/** "No end is last." */
function endOf(licence: Licence): number {
  return licence.expires === null ? Number.POSITIVE_INFINITY : licence.expires.getTime();
}

/** A licence that was ended before it began does not count. */
function granted(licences: readonly Licence[]): Licence[] {
  return licences.filter((licence) => licence.starts.getTime() !== endOf(licence));
}

export function expectedStanding(licences: readonly Licence[], now: Date): { standing: Standing; shown: Licence[] } {
  const live = granted(licences).filter((licence) => isLive(licence, now));
  const ended = granted(licences).filter((licence) => endOf(licence) <= now.getTime());
  const upcoming = granted(licences).filter((licence) => now.getTime() < licence.starts.getTime());
  // "A live one wins (of two, the one that ends last), otherwise the one that ended last."
  if (live.length > 0) return { standing: "licensed", shown: withGreatest(live, endOf) };
  if (ended.length > 0) return { standing: "expired", shown: withGreatest(ended, endOf) };
  // "A licence that has not begun grants nothing: standing `unlicensed`." Operators can see when it begins.
  return { standing: "unlicensed", shown: withGreatest(upcoming, (licence) => -licence.starts.getTime()) };
}

/** All licences that may be shown: if two are equal, the rules do not prefer either. */
function withGreatest(licences: Licence[], measure: (licence: Licence) => number): Licence[] {
  const greatest = Math.max(...licences.map(measure));
  return licences.filter((licence) => measure(licence) === greatest);
}

/** "A private family exists only for organizations that hold or held a licence for it", or will hold one. */
export function expectedVisible(offer: Offer, licences: readonly Licence[]): boolean {
  return offer.family.visibility === "public" || granted(licences).length > 0;
}

/** "An organization may download if one of its live licences requires no terms or terms that it has accepted." */
function isAccepted({ licences, acceptedTerms, now }: Question): boolean {
  const live = granted(licences).filter((licence) => isLive(licence, now));
  return live.length === 0 || live.some(({ termsId }) => termsId === null || acceptedTerms.has(termsId));
}

/** The table "order of checks", from its third step on. "An open family can be downloaded without a licence", and so can samples. */
export function expectedRefusal(offer: Offer, question: Question): DownloadRefusal | "none" {
  const { standing } = expectedStanding(question.licences, question.now);
  const formats = question.format ? [question.format] : offer.version.formats;
  const steps: [DownloadRefusal, boolean][] = [
    ["unknown_dataset", !expectedVisible(offer, question.licences)],
    ["not_licensed", standing === "unlicensed" && !offer.family.open && !question.sample],
    ["licence_expired", standing === "expired" && !offer.family.open && !question.sample],
    ["terms_not_accepted", !isAccepted(question) && !offer.family.open && !question.sample],
    ["not_built", question.format !== undefined && !offer.version.formats.some((built) => built === question.format)],
    ["unknown_build", offer.build === undefined && question.pinned],
    ["not_published", offer.build === undefined && !question.pinned],
    ["no_sample", question.sample && formats.every((format) => !offer.build?.files[`sample_${format}`])],
  ];
  return steps.find(([, fails]) => fails)?.[0] ?? "none";
}
