import { expect, it } from "vitest";
import { SignInThrottle } from "../../src/http/console/throttle.ts";
import { programLimits } from "../../src/http/oauth/throttle.ts";

const NOW = new Date();

it("limits wrong user codes in total too, so that many addresses don't help", () => {
  const { userCodes } = programLimits();
  const take = (client: number) => userCodes.take(`198.51.${Math.floor(client / 250)}.${client % 250}`, NOW.getTime());
  for (let client = 0; client < 500; client++) expect(take(client)).toBe(0);
  expect(take(500)).toBeGreaterThan(0);
  userCodes.give("198.51.100.7");
  expect(take(501)).toBe(0);
});

it("limits the networks of an IPv6 /48 together, and not those of others", () => {
  const { tokens } = programLimits();
  const throttle = new SignInThrottle();
  const limits = {
    tokens: (address: string) => tokens.take(address, NOW.getTime()),
    passwords: (address: string) => throttle.take({ purpose: "sign in", address }, NOW),
  };
  for (const [name, take] of Object.entries(limits)) {
    for (let network = 0; network < 200; network++) expect(take(`2001:db8:1:${network.toString(16)}::1`)).toBe(0);
    expect([name, take("2001:db8:1:ffff::1")]).not.toEqual([name, 0]);
    expect([name, take("2001:db8:2::1")]).toEqual([name, 0]);
    for (let host = 0; host < 250; host++) expect(take(`198.51.100.${host}`)).toBe(0);
  }
});
