import { expect, it } from "vitest";
import { Requests } from "../requests.ts";
import { fuzz } from "../run.ts";

it("survives 3,000 random requests and reveals no secret", async () => {
  const { signal } = new AbortController();
  // The heap and the latencies of so short a run mean nothing, so only `npm run fuzz` takes the time to measure them.
  const short = { requests: 3_000, warmUp: 100, baselineMs: 100, idleMs: 100 };
  const report = await fuzz({ ...short, seed: 20_261_117, progress: () => {}, signal });
  expect(report.violations.filter((violation) => !violation.startsWith("the heap"))).toEqual([]);
  // Most requests must get past authentication and validation to test anything.
  expect(report.neverSucceeded.length).toBeLessThan(Requests.routes().length / 2);
  expect(report.rawRequests).toBeGreaterThan(100);
  expect(report.during.requests).toBeGreaterThan(0);
});
