import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isVisible } from "../../src/catalogue/visibility.ts";
import { decide, type Offer, type Question, type Refusal } from "../../src/downloads/decide.ts";
import { isLive } from "../../src/licences/licence.ts";
import { standingOf } from "../../src/licences/standing.ts";
import { anyInstant, anyLicences, day, licence } from "../licences/terms.ts";
import { decidedRefusal, decidedStanding, decidedVisible } from "./decisions.ts";
import { anyAsking, anyOffer } from "./offers.ts";

const RUNS = { numRuns: 2000 };

const anyQuestion: fc.Arbitrary<Question> = fc
  .tuple(anyLicences, anyAsking, anyInstant)
  .map(([licences, asking, now]) => ({ licences, ...asking, now }));

function refusalOf(offer: Offer, question: Question): Refusal | "none" {
  const verdict = decide(offer, question);
  return verdict.granted ? "none" : verdict.refusal;
}

describe("list and download never disagree, at any instant, for any licences", () => {
  it("what is licensed in the list is not refused for its licence, and nothing else is granted", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, question) => {
        const isListed = isVisible(offer.family, question.licences);
        const { standing } = standingOf(question.licences, question.now);
        const refusal = refusalOf(offer, question);
        expect(refusal === "unknown_dataset").toBe(!isListed);
        expect(refusal === "not_licensed").toBe(isListed && standing === "unlicensed");
        expect(refusal === "licence_expired").toBe(isListed && standing === "expired");
        const licenceAllows = ["none", "not_built", "not_published", "unknown_build"].includes(refusal);
        expect(licenceAllows).toBe(standing === "licensed");
      }),
      RUNS,
    );
  });

  it("a family that is not listed has never had a standing but unlicensed", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, { licences, now }) => {
        const { standing, licence } = standingOf(licences, now);
        if (!isVisible(offer.family, licences)) expect({ standing, licence }).toEqual({ standing: "unlicensed" });
      }),
      RUNS,
    );
  });
});

describe("the rules are the decided ones", () => {
  it("for the standing and the licence that is shown", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const { standing, licence } = standingOf(licences, now);
        const decided = decidedStanding(licences, now);
        expect(standing).toBe(decided.standing);
        if (licence) expect(decided.shown).toContain(licence);
        else expect(decided.shown).toEqual([]);
      }),
      RUNS,
    );
  });

  it("for what is seen and what is refused", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, question) => {
        expect(isVisible(offer.family, question.licences)).toBe(decidedVisible(offer, question.licences));
        expect(refusalOf(offer, question)).toBe(decidedRefusal(offer, question));
      }),
      RUNS,
    );
  });

  it("for what is handed out: the build that was offered", () => {
    fc.assert(
      fc.property(anyOffer, anyQuestion, (offer, question) => {
        const verdict = decide(offer, question);
        if (verdict.granted) expect(verdict.build).toBe(offer.build);
      }),
      RUNS,
    );
  });
});

describe("licences", () => {
  it("count the same in whatever order they are read", () => {
    fc.assert(
      fc.property(anyLicences.chain(shuffled), anyInstant, anyOffer, anyAsking, ([one, other], now, offer, asking) => {
        expect(standingOf(one, now).licence).toBe(standingOf(other, now).licence);
        expect(standingOf(one, now).standing).toBe(standingOf(other, now).standing);
        expect(decide(offer, { licences: one, ...asking, now })).toEqual(
          decide(offer, { licences: other, ...asking, now }),
        );
      }),
      RUNS,
    );
  });

  it("are read, not changed", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const before = structuredClone(licences);
        standingOf(Object.freeze(licences), now);
        expect(licences).toEqual(before);
      }),
    );
  });

  it("always grant when one of them lives", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const { standing, licence } = standingOf(licences, now);
        expect(standing === "licensed").toBe(licences.some((each) => isLive(each, now)));
        if (standing === "licensed") expect(licence && isLive(licence, now)).toBe(true);
      }),
      RUNS,
    );
  });

  it("that were ended before they began change nothing", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, fc.integer({ min: 0, max: 12 }), (licences, now, n) => {
        const cancelled = licence({ starts: day(n), expires: day(n) });
        expect(standingOf([...licences, cancelled], now)).toEqual(standingOf(licences, now));
      }),
      RUNS,
    );
  });

  it("that have not started take nothing away", () => {
    fc.assert(
      fc.property(anyLicences, anyInstant, (licences, now) => {
        const upcoming = licence({ starts: day(100), expires: null });
        expect(standingOf([...licences, upcoming], now).standing).toBe(standingOf(licences, now).standing);
      }),
      RUNS,
    );
  });

  it("once held are never forgotten: from licensed or expired nobody falls back to unlicensed", () => {
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
