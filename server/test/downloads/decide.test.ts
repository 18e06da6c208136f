import { ERRORS } from "@dbdepot/contract/errors";
import { describe, expect, it } from "vitest";
import { decide } from "../../src/downloads/decide.ts";
import { REFUSALS } from "../../src/downloads/refusals.ts";
import { day, licence } from "../licences/terms.ts";
import { build, offer } from "./offers.ts";

const live = [licence({ starts: day(0), expires: day(100) })];
const ended = [licence({ starts: day(0), expires: day(10) })];
const csvOnly = offer({ formats: ["csvgz"] });
const unbuilt = offer({ build: undefined });
const asked = { licences: live, format: "mmdb", pinned: false, now: day(50) } as const;

describe("a download", () => {
  it("is granted with its build when nothing is amiss", () => {
    expect(decide(offer(), asked)).toEqual({ granted: true, build });
    expect(decide(offer({ visibility: "private" }), asked)).toEqual({ granted: true, build });
  });

  // Each case has, besides its own fault, all those that are looked at later: the first one is what the caller sees.
  it.each([
    ["an id that names nothing", undefined, { licences: [] }, "unknown_dataset"],
    [
      "a private family that is not the caller's",
      offer({ visibility: "private", formats: ["csvgz"], build: undefined }),
      { licences: [] },
      "unknown_dataset",
    ],
    ["no licence", offer({ formats: ["csvgz"], build: undefined }), { licences: [] }, "not_licensed"],
    ["an ended licence", offer({ formats: ["csvgz"], build: undefined }), { licences: ended }, "licence_expired"],
    ["a format that it is not built in", offer({ formats: ["csvgz"], build: undefined }), {}, "not_built"],
    ["no build", unbuilt, {}, "not_published"],
    ["a pinned build that is not kept", unbuilt, { pinned: true }, "unknown_build"],
  ] as const)("is refused for %s", (_, what, but, refusal) => {
    expect(decide(what, { ...asked, ...but })).toEqual({ granted: false, refusal });
  });

  it("of metadata names no format, so none can be missing", () => {
    expect(decide(csvOnly, { ...asked, format: undefined })).toEqual({ granted: true, build });
    expect(decide(unbuilt, { ...asked, format: undefined })).toEqual({ granted: false, refusal: "not_published" });
  });
});

describe("a refusal", () => {
  it.each([
    ["unknown_dataset", 404, "UNKNOWN_DATASET", "unknown"],
    ["not_licensed", 403, "NOT_LICENSED", "denied"],
    ["licence_expired", 403, "LICENSE_EXPIRED", "expired"],
    ["not_built", 400, "INVALID_FORMAT", "unavailable"],
    ["not_published", 503, "NOT_AVAILABLE", "unavailable"],
    ["unknown_build", 404, "UNKNOWN_BUILD", "unknown"],
  ] as const)("%s is answered %i %s and kept as %s", (refusal, status, rc, outcome) => {
    expect(REFUSALS[refusal]).toMatchObject({ rc, outcome });
    expect(ERRORS[rc].status).toBe(status);
  });
});
