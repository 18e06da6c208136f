import { inspect } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DbdepotClient } from "../src/index.ts";
import { filesOf, ID, TestDepot } from "./depot.ts";
import { FaultyFront } from "./faults.ts";

let depot: TestDepot;
let front: FaultyFront;
let client: DbdepotClient;

beforeAll(async () => {
  depot = await TestDepot.open();
  await depot.publish(filesOf("first", 2_000_000));
  front = await FaultyFront.open(depot.customer.apiUrl);
  client = depot.client({ baseUrl: front.url });
});
afterAll(async () => {
  await front.close();
  await depot.dispose();
});

/** Everything that a log or a crash could show. */
function shown(value: unknown): string {
  const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true };
  const { stack, message } = (value ?? {}) as Error;
  return [inspect(value, deep), JSON.stringify(value), String(value), stack, message].join("\n");
}

it("sends the storage no key and only these headers", async () => {
  front.storage = ({ number }) => (number === 0 ? { cutAfterBytes: 1_000_000 } : undefined);
  await client.download(ID, "mmdb", { to: depot.path() });
  const names = new Set(front.seenByStorage.flatMap(({ headers }) => Object.keys(headers)));
  const allowed = ["accept", "accept-encoding", "connection", "host", "if-range", "range", "user-agent"];
  expect([...names].sort()).toEqual(allowed);
  expect(JSON.stringify(front.seenByStorage)).not.toContain(depot.customer.key);
});

it("does not reveal the key when a client is printed", () => {
  expect(shown(client)).not.toContain(depot.customer.key);
  expect(shown(client.keys)).not.toContain(depot.customer.key);
});

it("puts neither the key nor a link's signature into errors", async () => {
  const errors: unknown[] = [];
  const fails = async (attempt: Promise<unknown>) => {
    errors.push(
      await attempt.then(
        () => "it worked",
        (error) => error,
      ),
    );
  };
  const { key } = depot.customer;
  const options = { retries: 0, timeoutMs: 200 };
  const through = depot.client({ baseUrl: front.url, ...options });
  for (const fault of [{ status: 401 }, { status: 500 }, { refuse: true }, { cutAfterBytes: 3 }]) {
    front.api = () => fault;
    await fails(through.list());
    await fails(through.keys.create({ name: "x" }));
  }
  front.api = () => undefined;
  for (const fault of [
    { status: 403 },
    { status: 500 },
    { refuse: true },
    { cutAfterBytes: 3 },
    { stallAfterBytes: 3 },
  ]) {
    front.storage = () => fault;
    await fails(through.download(ID, "mmdb", { to: depot.path("x.mmdb") }));
  }
  await fails(depot.client({ baseUrl: "http://127.0.0.1:1", ...options }).list());
  // A fetch whose errors contain the request.
  const tells: typeof fetch = async (_input, init) => {
    throw Object.assign(new Error(`failed: ${inspect(init)}`), { request: init, cause: { init } });
  };
  await fails(depot.client({ fetch: tells, ...options }).list());
  expect(() => depot.client({ apiKey: `${key}\u00e4` })).toThrow(expect.not.stringContaining(key));
  expect(errors).toHaveLength(15);
  for (const error of errors) {
    expect(error).toBeInstanceOf(Error);
    expect(shown(error)).not.toContain(key);
    expect(shown(error)).not.toContain("X-Amz-");
  }
});
