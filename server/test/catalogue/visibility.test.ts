import { isProviderFamily } from "@dbdepot/contract/database-id";
import { describe, expect, it } from "vitest";
import type { Family } from "../../src/catalogue/family.ts";
import { isVisible } from "../../src/catalogue/visibility.ts";
import { day, licence } from "../licences/terms.ts";

const publicFamily: Family = { base: "vpn_ip", name: "VPN IP", visibility: "public", created: day(0) };
const privateFamily: Family = { ...publicFamily, visibility: "private" };
const held = licence({ starts: day(0), expires: day(1) });
const cancelled = licence({ starts: day(9), expires: day(9) });

describe("a family", () => {
  it.each([
    ["never held a licence", [], false],
    ["holds one", [licence({ starts: day(0), expires: null })], true],
    ["held one", [held], true],
    ["will hold one", [licence({ starts: day(5000), expires: null })], true],
    ["had one cancelled before it began", [cancelled], false],
    ["had one cancelled and held another", [cancelled, held], true],
  ])("that is private, for an organization that %s", (_, licences, visible) => {
    expect(isVisible(privateFamily, licences)).toBe(visible);
  });

  it("that is public is there for everybody", () => {
    expect(isVisible(publicFamily, [])).toBe(true);
    expect(isVisible(publicFamily, [cancelled])).toBe(true);
  });

  it("is keyed by provider id by its name's end", () => {
    expect(isProviderFamily("hosting_provider")).toBe(true);
    expect(isProviderFamily("provider_ip")).toBe(false);
    expect(isProviderFamily("hostingprovider")).toBe(false);
  });
});
