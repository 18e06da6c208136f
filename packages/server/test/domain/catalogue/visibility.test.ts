import { isProviderFamily } from "@dbdepot/contract/shared/database-id";
import { describe, expect, it } from "vitest";
import type { Family } from "../../../src/domain/catalogue/family.ts";
import { isVisible } from "../../../src/domain/licences/standing.ts";
import { day, licence } from "../licences/terms.ts";

const publicFamily: Family = {
  base: "vpn_ip",
  name: "VPN IP",
  visibility: "public",
  created: day(0),
  archived: null,
  open: false,
};
const privateFamily: Family = { ...publicFamily, visibility: "private" };
const held = licence({ starts: day(0), expires: day(1) });
const cancelled = licence({ starts: day(9), expires: day(9) });

describe("isVisible", () => {
  it.each([
    ["hides", "never held a licence", []],
    ["shows", "holds one", [licence({ starts: day(0), expires: null })]],
    ["shows", "held one", [held]],
    ["shows", "will hold one", [licence({ starts: day(5000), expires: null })]],
    ["hides", "had one cancelled before it began", [cancelled]],
    ["shows", "had one cancelled and held another", [cancelled, held]],
  ])("%s a private family if the organization %s", (verb, _, licences) => {
    expect(isVisible(privateFamily, licences)).toBe(verb === "shows");
  });

  it("shows a public family to every organization", () => {
    expect(isVisible(publicFamily, [])).toBe(true);
    expect(isVisible(publicFamily, [cancelled])).toBe(true);
  });
});

describe("isProviderFamily", () => {
  it("recognizes families by the end of their name", () => {
    expect(isProviderFamily("hosting_provider")).toBe(true);
    expect(isProviderFamily("provider_ip")).toBe(false);
    expect(isProviderFamily("hostingprovider")).toBe(false);
  });
});
