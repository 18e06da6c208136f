import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DownloadRefusal, decide, type Offer, type Question } from "../../../src/domain/downloads/decide.ts";
import { isLive } from "../../../src/domain/licences/licence.ts";
import { isVisible, standingOf, termsToAccept } from "../../../src/domain/licences/standing.ts";
import { anyAcceptedTerms, anyInstant, anyLicences, day, licence } from "../licences/terms.ts";
import { anyOffer, anyRequest } from "./offers.ts";
import { expectedRefusal, expectedStanding, expectedVisible } from "./reference-rules.ts";

const RUNS = { numRuns: 2000 };

const anyQuestion: fc.Arbitrary<Question> = fc
  .tuple(anyLicences, anyAcceptedTerms, anyRequest, anyInstant)
  .map(([licences, acceptedTerms, request, now]) => ({ licences, acceptedTerms, ...request, now }));

function refusalOf(offer: Offer, question: Question): DownloadRefusal | "none" {
  const verdict = decide(offer, question);
  return verdict.granted ? "none" : verdict.refusal;
}

describe("list and download", () => {
  it("always agree: exactly the families listed as licensed or open, and samples, pass the licence check", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, question) => {
        const isListed = isVisible(offer.family, question.licences);
        const { standing } = standingOf(question.licences, question.now);
        const refusal = refusalOf(offer, question);
        expect(refusal === "unknown_dataset").toBe(!isListed);
        const isFree = offer.family.open || question.sample;
        expect(refusal === "not_licensed").toBe(isListed && !isFree && standing === "unlicensed");
        expect(refusal === "licence_expired").toBe(isListed && !isFree && standing === "expired");
        const listedTerms = termsToAccept(question.licences, question.acceptedTerms, question.now);
        expect(refusal === "terms_not_accepted").toBe(isListed && !isFree && listedTerms !== null);
        const licenceAllows = ["none", "not_built", "no_sample", "not_published", "unknown_build"].includes(refusal);
        expect(licenceAllows).toBe((standing === "licensed" && listedTerms === null) || (isListed && isFree));
      }),
      RUNS,
    );
  });

  it("treat every unlisted family as unlicensed", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, { licences, now }) => {
        const { standing, licence } = standingOf(licences, now);
        if (!isVisible(offer.family, licences)) expect({ standing, licence }).toEqual({ standing: "unlicensed" });
      }),
      RUNS,
    );
  });
});

describe("the rules match the reference implementation", () => {
  it("for the standing and the licence shown", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const { standing, licence } = standingOf(licences, now);
        const expected = expectedStanding(licences, now);
        expect(standing).toBe(expected.standing);
        if (licence) expect(expected.shown).toContain(licence);
        else expect(expected.shown).toEqual([]);
      }),
      RUNS,
    );
  });

  it("for visibility and refusals", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, question) => {
        expect(isVisible(offer.family, question.licences)).toBe(expectedVisible(offer, question.licences));
        expect(refusalOf(offer, question)).toBe(expectedRefusal(offer, question));
      }),
      RUNS,
    );
  });

  it("and grant the offered build", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, question) => {
        const verdict = decide(offer, question);
        if (verdict.granted) expect(verdict).toEqual({ granted: true, build: offer.build, open: offer.family.open });
      }),
      RUNS,
    );
  });
});

describe("licences", () => {
  it("have the same effect in any order", () => {
    fc.assert(
      fc.property(
        anyLicences.chain(shuffled),
        anyInstant,
        anyOffer,
        anyRequest,
        anyAcceptedTerms,
        ([one, other], now, offer, request, acceptedTerms) => {
          expect(standingOf(one, now).licence).toBe(standingOf(other, now).licence);
          expect(standingOf(one, now).standing).toBe(standingOf(other, now).standing);
          expect(decide(offer, { licences: one, acceptedTerms, ...request, now })).toEqual(
            decide(offer, { licences: other, acceptedTerms, ...request, now }),
          );
          expect(termsToAccept(one, acceptedTerms, now)).toBe(termsToAccept(other, acceptedTerms, now));
        },
      ),
      RUNS,
    );
  });

  it("are not modified", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const before = structuredClone(licences);
        standingOf(Object.freeze(licences), now);
        expect(licences).toEqual(before);
      }),
    );
  });

  it("give the standing licensed exactly if one of them is live", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const { standing, licence } = standingOf(licences, now);
        expect(standing === "licensed").toBe(licences.some((each) => isLive(each, now)));
        if (standing === "licensed") expect(licence && isLive(licence, now)).toBe(true);
      }),
      RUNS,
    );
  });

  it("that were ended before they began have no effect", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, fc.integer({ min: 0, max: 12 }), (licences, now, n) => {
        const cancelled = licence({ starts: day(n), expires: day(n) });
        expect(standingOf([...licences, cancelled], now)).toEqual(standingOf(licences, now));
      }),
      RUNS,
    );
  });

  it("that have not started do not change the standing", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const upcoming = licence({ starts: day(100), expires: null });
        expect(standingOf([...licences, upcoming], now).standing).toBe(standingOf(licences, now).standing);
      }),
      RUNS,
    );
  });

  it("never let the standing return to unlicensed", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, anyInstant, (licences, one, other) => {
        const [earlier, later] = one <= other ? [one, other] : [other, one];
        if (standingOf(licences, earlier).standing === "unlicensed") return;
        expect(standingOf(licences, later).standing).not.toBe("unlicensed");
      }),
      RUNS,
    );
  });
});

function shuffled<T>(items: T[]): fc.Arbitrary<[T[], T[]]> {
  return fc
    .shuffledSubarray(items, { minLength: items.length, maxLength: items.length })
    .map((other): [T[], T[]] => [items, other]);
}
