import type { Standing } from "@dbdepot/contract/catalogue";
import type { Offer, Question, Refusal } from "../../src/downloads/decide.ts";
import type { Licence } from "../../src/licences/licence.ts";

/**
 * The decided rules once more, sentence by sentence and with no thought of speed, to hold
 * the real ones against. Nothing of the product's own rules is used here.
 */

/** "A licence lives for starts <= now < expires." */
function lives(licence: Licence, now: Date): boolean {
  return licence.starts.getTime() <= now.getTime() && now.getTime() < endOf(licence);
}

/** "No end is last of all." */
function endOf(licence: Licence): number {
  return licence.expires === null ? Number.POSITIVE_INFINITY : licence.expires.getTime();
}

/** One that was ended before it began is as if it had never been granted. */
function granted(licences: readonly Licence[]): Licence[] {
  return licences.filter((licence) => licence.starts.getTime() !== endOf(licence));
}

export function decidedStanding(licences: readonly Licence[], now: Date): { standing: Standing; shown: Licence[] } {
  const live = granted(licences).filter((licence) => lives(licence, now));
  const ended = granted(licences).filter((licence) => endOf(licence) <= now.getTime());
  const upcoming = granted(licences).filter((licence) => now.getTime() < licence.starts.getTime());
  // "A live one beats any other (of two live ones, the one that ends last), else the one that ended last."
  if (live.length > 0) return { standing: "licensed", shown: withGreatest(live, endOf) };
  if (ended.length > 0) return { standing: "expired", shown: withGreatest(ended, endOf) };
  // "A licence that has not begun grants nothing: standing `unlicensed`." Operators see when it begins.
  return { standing: "unlicensed", shown: withGreatest(upcoming, (licence) => -licence.starts.getTime()) };
}

/** Every one that may be shown: where two are equal, the rules name neither. */
function withGreatest(licences: Licence[], measure: (licence: Licence) => number): Licence[] {
  const greatest = Math.max(...licences.map(measure));
  return licences.filter((licence) => measure(licence) === greatest);
}

/** "A private one exists only for organizations that hold (or held) a licence for it", or are to hold one. */
export function decidedVisible(offer: Offer, licences: readonly Licence[]): boolean {
  return offer.family.visibility === "public" || granted(licences).length > 0;
}

/** The table of "the order of the checks", from its third step on. */
export function decidedRefusal(offer: Offer, question: Question): Refusal | "none" {
  const { standing } = decidedStanding(question.licences, question.now);
  const steps: [Refusal, boolean][] = [
    ["unknown_dataset", !decidedVisible(offer, question.licences)],
    ["not_licensed", standing === "unlicensed"],
    ["licence_expired", standing === "expired"],
    ["not_built", question.format !== undefined && !offer.version.formats.some((built) => built === question.format)],
    ["unknown_build", offer.build === undefined && question.pinned],
    ["not_published", offer.build === undefined && !question.pinned],
  ];
  return steps.find(([, fails]) => fails)?.[0] ?? "none";
}
