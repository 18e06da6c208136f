import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Loader, load, loadInTurns } from "../src/load.ts";
import { findTools } from "../src/tools.ts";

const loaders: Loader[] = (await findTools()).wrk ? ["wrk", "autocannon"] : ["autocannon"];
const seen = new Map<string, number>();
const arrivals: { path: string; ms: number }[] = [];
const server = createServer(({ url = "", headers }, response) => {
  arrivals.push({ path: url.replace(/\?.*/, ""), ms: Date.now() });
  seen.set(`${url} ${headers.authorization}`, (seen.get(`${url} ${headers.authorization}`) ?? 0) + 1);
  response.writeHead(url.startsWith("/refused") ? 401 : 200).end("0123456789");
});
const requestsTo = (path: string) =>
  Array.from({ length: 100 }, (_, i) => ({ path: `${path}?${i}`, headers: { Authorization: `key ${i}` } }));
const task = (path: string) => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, requests: requestsTo(path), connections: 4, seconds: 1 };
};

beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => once(server.close(), "close"));

describe.each(loaders)("load from %s", (loader) => {
  test("sends every request, and counts the answers", async () => {
    seen.clear();
    const result = await load(loader, task("/fine"), { status: 200 });
    const answered = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect(seen.size).toBe(100);
    expect(seen.has("/fine?7 key 7")).toBe(true);
    // The last ones may be under way when the time is up.
    expect(answered - result.requests).toBeGreaterThanOrEqual(0);
    expect(answered - result.requests).toBeLessThanOrEqual(8);
    expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms);
    expect(result.seconds).toBeGreaterThan(0.9);
  });

  test("refusals are what is asked for, or a failure", async () => {
    const result = await load(loader, task("/refused"), { status: 401 });
    expect(result.refused).toBe(result.requests);
    await expect(load(loader, task("/refused"), { status: 200 })).rejects.toThrow(/were refused/);
    await expect(load(loader, task("/fine"), { status: 401 })).rejects.toThrow(/to be answered with 401/);
  });
});

describe.each(loaders)("two loads from %s", (loader) => {
  const tasks = (anchor: string, ours: string) => ({
    anchor: { ...task(anchor), seconds: 1 },
    ours: { ...task(ours), seconds: 1 },
  });

  test.each(["anchor", "ours"] as const)("take turns, %s first", async (first) => {
    arrivals.length = 0;
    const turnMs = 250;
    const results = await loadInTurns(loader, tasks("/anchor", "/ours"), { turnMs, first }, { status: 200 });
    for (const side of ["anchor", "ours"] as const) {
      // autocannon says how long it truly took: longer on a busy machine.
      if (loader === "wrk") expect(results[side].seconds).toBeCloseTo(1);
      else expect(results[side].seconds).toBeGreaterThan(0.9);
      const came = arrivals.filter(({ path }) => path === `/${side}`).length;
      expect(came - results[side].requests).toBeGreaterThanOrEqual(0);
      expect(came - results[side].requests).toBeLessThanOrEqual(8);
    }
    expect(arrivals[0]?.path).toBe(`/${first}`);
    const changes = arrivals.filter(({ path }, i) => i > 0 && path !== arrivals[i - 1]?.path).length;
    if (loader === "autocannon") return void expect(changes).toBe(1);
    expect(changes).toBeGreaterThanOrEqual(7);
    // When the first turn began is known by its arrivals only, which may be late.
    const shareInTurn = (lateMs: number) => {
      const turnOf = (ms: number) => Math.floor((ms + lateMs - (arrivals[0]?.ms ?? 0)) / turnMs);
      const inTurn = arrivals.filter(({ path, ms }) => (path === `/${first}`) === (turnOf(ms) % 2 === 0));
      return inTurn.length / arrivals.length;
    };
    const shares = Array.from({ length: turnMs }, (_, lateMs) => shareInTurn(lateMs));
    expect(Math.max(...shares)).toBeGreaterThan(0.9);
  });

  test("fail when one of them does", async () => {
    const both = loadInTurns(loader, tasks("/fine", "/refused"), { turnMs: 100, first: "anchor" }, { status: 200 });
    await expect(both).rejects.toThrow(/refused.*were refused/);
  });
});
