import { expect, it } from "vitest";
import { signInLimits } from "../../src/http/oauth/throttle.ts";

const NOW = new Date();

it("limits wrong codes in total too, so that many addresses don't help", () => {
  const { guesses } = signInLimits();
  const take = (client: number) => guesses.take(`198.51.${Math.floor(client / 250)}.${client % 250}`, NOW);
  for (let client = 0; client < 500; client++) expect(take(client)).toBe(0);
  expect(take(500)).toBeGreaterThan(0);
  guesses.forgive("198.51.100.7");
  expect(take(501)).toBe(0);
});
