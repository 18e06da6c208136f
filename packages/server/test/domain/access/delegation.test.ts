import { describe, expect, it } from "vitest";
import { requireCustomerReach, requireGrantable, requireOperatorReach } from "../../../src/domain/access/delegation.ts";
import { day } from "../licences/terms.ts";

type KeyAccess = Parameters<typeof requireOperatorReach>[1];

const OWN = {
  organizationId: null,
  scopes: ["operator.read", "operator.write"],
  cidrs: ["192.0.2.0/24"],
  expires: day(60),
} satisfies KeyAccess;
const LATER = new Date(day(60).getTime() + 1);

/** What a key with all rights of the manager's own would need to be refused. */
const BEYOND: [string, Partial<KeyAccess>][] = [
  ["other networks", { cidrs: ["192.0.2.0/23"] }],
  ["no networks", { cidrs: [] }],
  ["one network inside and one outside", { cidrs: ["192.0.2.0/25", "198.51.100.0/24"] }],
  ["a later expiry", { expires: LATER }],
  ["no expiry", { expires: null }],
];

describe("requireOperatorReach", () => {
  it("allows keys with the same rights or less", () => {
    requireOperatorReach(OWN, OWN);
    requireOperatorReach(OWN, { ...OWN, scopes: ["operator.read"], cidrs: ["192.0.2.7/32"], expires: day(59) });
    requireOperatorReach({ ...OWN, cidrs: [], expires: null }, { ...OWN, cidrs: [], expires: null });
  });

  it.each([["an operator scope that it lacks", { scopes: ["builds.publish"] }], ...BEYOND] as [
    string,
    Partial<KeyAccess>,
  ][])("refuses an operator's key with %s", (_, but) => {
    expect(() => requireOperatorReach(OWN, { ...OWN, ...but })).toThrow("your own key");
  });

  it("allows any key of a customer", () => {
    for (const [, but] of BEYOND) requireOperatorReach(OWN, { ...OWN, organizationId: "acme", ...but });
  });

  it("ignores scopes of customers", () => {
    requireOperatorReach(OWN, { ...OWN, scopes: ["operator.read", "db.download"] });
  });
});

describe("requireCustomerReach and requireGrantable", () => {
  it("allow the same rights, less, and fields that do not change", () => {
    requireCustomerReach(OWN, OWN);
    requireGrantable(OWN, {});
    requireGrantable(OWN, { cidrs: ["192.0.2.128/25"], expires: day(60) });
    requireGrantable({ ...OWN, cidrs: [], expires: null }, { cidrs: [], expires: null });
  });

  it.each(BEYOND)("refuse %s", (_, but) => {
    const code = but.cidrs ? "OUTSIDE_CIDRS" : "BEYOND_EXPIRY";
    expect(() => requireCustomerReach(OWN, { ...OWN, ...but })).toThrow(expect.objectContaining({ code }));
    expect(() => requireGrantable(OWN, but)).toThrow(/own key/);
  });
});
