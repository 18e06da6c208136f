import { describe, expect, it } from "vitest";
import { decideLegacy, type LegacyQuestion } from "../../../src/domain/downloads/decide-legacy.ts";
import { build, offer } from "./offers.ts";

const { id } = offer().version;
const csvOnly = offer({ formats: ["csvgz"] });
const hidden = offer({ visibility: "private", formats: ["csvgz"] });
const unbuilt = offer({ build: undefined });
const archivedVersion = { ...offer(), version: { ...offer().version, archived: new Date(0) } };
const archivedFamily = { ...offer(), family: { ...offer().family, archived: new Date(0) } };
const request: LegacyQuestion = { id, format: "mmdb", needsFormat: true, databaseIds: [id], offer: offer() };
const metadata = { format: undefined, needsFormat: false };

describe("decideLegacy", () => {
  it("grants the listed databases, whatever their family's visibility", () => {
    expect(decideLegacy(request)).toEqual({ granted: true, build });
    expect(decideLegacy({ ...request, ...metadata })).toEqual({ granted: true, build });
    expect(decideLegacy({ ...request, offer: offer({ visibility: "private" }) })).toEqual({ granted: true, build });
  });

  // Each case also has every fault that is checked later, so this tests the order of the checks.
  it.each([
    ["no id", { id: undefined, format: "exe", databaseIds: [], offer: undefined }, "malformed_id"],
    ["a malformed id", { id: "../vpn", format: "exe", databaseIds: [], offer: undefined }, "malformed_id"],
    ["no format", { format: undefined, databaseIds: [], offer: unbuilt }, "no_format"],
    ["an unknown format", { format: "exe", databaseIds: [], offer: unbuilt }, "no_format"],
    ["a format that a public version is not built in", { databaseIds: [], offer: csvOnly }, "not_built"],
    ["a format that a listed private version is not built in", { offer: hidden }, "not_built"],
    ["another database", { databaseIds: ["other_v1"] }, "not_listed"],
    [
      "a private family that is not listed, without a word about its formats",
      { databaseIds: [], offer: hidden },
      "not_listed",
    ],
    ["metadata of another database", { ...metadata, databaseIds: [] }, "not_listed"],
    ["a database that does not exist", { offer: undefined }, "not_published"],
    ["a version without a build", { offer: unbuilt }, "not_published"],
    ["an archived version", { offer: archivedVersion }, "not_published"],
    ["an archived family", { offer: archivedFamily }, "not_published"],
  ] as const)("refuses %s", (_, but, refusal) => {
    expect(decideLegacy({ ...request, ...but })).toEqual({ granted: false, refusal });
  });
});
