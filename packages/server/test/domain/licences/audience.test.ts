import { describe, expect, it } from "vitest";
import { isFor } from "../../../src/domain/licences/audience.ts";
import { family } from "../../adapters/sql/samples.ts";
import { day, licence } from "./terms.ts";

const ACME = "0193a000-0000-7000-8000-000000000001";
const BETA = "0193a000-0000-7000-8000-000000000002";
const NOW = day(10);
const build = { organizationId: null };

const live = licence({ starts: day(0), expires: day(20) });
const ended = licence({ starts: day(0), expires: NOW });
const future = licence({ starts: day(11), expires: null });

describe("isFor", () => {
  it("sends an event about an organization to that organization only", () => {
    for (const holding of [undefined, { family: family(), licences: [live] }]) {
      expect(isFor({ organizationId: ACME }, ACME, holding, NOW)).toBe(true);
      expect(isFor({ organizationId: ACME }, BETA, holding, NOW)).toBe(false);
    }
  });

  it.each([
    ["a public family with a live licence", {}, [live], true],
    ["a public family with a live and an ended licence", {}, [ended, live], true],
    ["a public family without a licence", {}, [], false],
    ["a public family whose licence has ended", {}, [ended], false],
    ["a public family whose licence has not started", {}, [future], false],
    ["a private family with a live licence", { visibility: "private" as const }, [live], true],
    ["a private family without a licence", { visibility: "private" as const }, [], false],
    ["a private family whose licence has ended", { visibility: "private" as const }, [ended], false],
    ["an open family without a licence", { open: true }, [], true],
    ["an open private family without a licence", { open: true, visibility: "private" as const }, [], false],
    ["an archived family with a live licence", { archived: day(5) }, [live], false],
    ["an archived open family", { archived: day(5), open: true }, [], false],
  ])("for a build of %s", (_name, but, licences, expected) => {
    expect(isFor(build, ACME, { family: family(but), licences }, NOW)).toBe(expected);
  });

  it("sends no event about a family that is not in the catalogue", () => {
    expect(isFor(build, ACME, undefined, NOW)).toBe(false);
  });
});
