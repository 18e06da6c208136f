import { expect, it } from "vitest";
import { Requests } from "../requests.ts";
import { fuzz } from "../run.ts";

it("survives 3,000 random requests and reveals no secret", async () => {
  const { signal } = new AbortController();
  const report = await fuzz({ requests: 3_000, warmUp: 1_000, seed: 20_261_117, progress: () => {}, signal });
  // The heap of so short a run depends on what was compiled, so `npm run fuzz` checks it.
  expect(report.violations.filter((violation) => !violation.startsWith("the heap"))).toEqual([]);
  // Most requests must get past authentication and validation to test anything.
  expect(report.neverSucceeded.length).toBeLessThan(Requests.routes().length / 2);
  expect(report.rawRequests).toBeGreaterThan(100);
  expect(report.during.requests).toBeGreaterThan(0);
});
