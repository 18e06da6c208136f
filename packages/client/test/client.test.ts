import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withdrawBuild } from "../../server/src/domain/builds/rollback.ts";
import { attempt } from "../../server/test/adapters/sql/samples.ts";
import { type DbdepotClient, DbdepotError, type Download, type RetryEvent } from "../src/index.ts";
import { filesOf, ID, sha256Of, TestDepot } from "./depot.ts";
import { FaultyFront } from "./faults.ts";

const files = filesOf("first");
let depot: TestDepot;
let front: FaultyFront;
let client: DbdepotClient;
let buildId: string;

beforeAll(async () => {
  depot = await TestDepot.open();
  for (const id of ["tor_ip_v1", "bogon_ip_v1"]) {
    await depot.test.operator.addDatabase(id);
    const { id: withdrawn } = await depot.test.operator.publish(id);
    await withdrawBuild(depot.test.operator.operation(), withdrawn);
  }
  await depot.test.operator.grant("Acme", "tor_ip");
  front = await FaultyFront.open(depot.customer.apiUrl);
  client = depot.client();
  ({ id: buildId } = await depot.publish(files));
});
afterAll(async () => {
  await front.close();
  await depot.dispose();
});

async function failureOf(promise: Promise<unknown>): Promise<DbdepotError> {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(DbdepotError);
  return error;
}

describe("the catalogue", () => {
  it("lists families with their standing", async () => {
    const standings = (await client.list()).map(({ base, standing }) => [base, standing]);
    expect(standings).toEqual([
      ["bogon_ip", "unlicensed"],
      ["tor_ip", "licensed"],
      ["vpn_ip", "licensed"],
    ]);
  });

  it("returns metadata, and with an ETag only whether there is a new build", async () => {
    const first = await client.metadata(ID);
    expect(first).toMatchObject({ changed: true, metadata: { id: ID }, buildId });
    expect(await client.metadata(ID, { etag: first.etag })).toEqual({ changed: false, etag: first.etag, buildId });
    const { id: newBuildId } = await depot.publish(filesOf("second"));
    expect(await client.metadata(ID, { etag: first.etag })).toMatchObject({ changed: true, buildId: newBuildId });
    expect(await client.metadata(ID, { build: buildId })).toMatchObject({ buildId });
    ({ id: buildId } = await depot.publish(files));
  });

  it("returns checksums, and a link with its digest", async () => {
    const sha256 = sha256Of(files.mmdb);
    expect(await client.checksums(ID, "mmdb")).toMatchObject({ checksums: { sha256 }, buildId });
    const link = await client.downloadUrl(ID, "mmdb");
    expect(link).toMatchObject({ sha256, buildId, etag: `"${sha256}"` });
    const fetched = Buffer.from(await (await fetch(link.url)).arrayBuffer());
    expect(fetched.equals(files.mmdb)).toBe(true);
  });
});

describe("the history", () => {
  async function read(reader: DbdepotClient, limit?: number): Promise<Download[]> {
    const all: Download[] = [];
    for await (const download of reader.downloads({ limit })) all.push(download);
    return all;
  }

  it("reads all pages", async () => {
    const { organizationId, keyId } = depot.customer;
    const created = depot.test.clock.now();
    const many = Array.from({ length: 205 }, () => attempt({ organizationId, keyId, datasetId: ID, created }));
    await depot.test.service.services.store.attempts.append(many);
    const all = await read(client);
    expect(all.length).toBeGreaterThan(205);
    expect(all.slice(0, 205).every(({ dataset_id: id, outcome }) => id === ID && outcome === "ok")).toBe(true);
    expect(await read(client, 203)).toEqual(all.slice(0, 203));
    expect(await read(client, 3)).toEqual(all.slice(0, 3));
  });

  it("stops after one page if the service sends no Link header", async () => {
    front.reset();
    front.api = () => ({ strip: ["link"] });
    expect(await read(depot.client({ baseUrl: front.url }))).toHaveLength(200);
  });
});

describe("keys", () => {
  it("creates, lists, updates, rotates and revokes keys", async () => {
    const created = await client.keys.create({ name: "nightly", allowed_scopes: ["db.download"] });
    expect(await depot.client({ apiKey: ` ${created.key}\n` }).list()).toHaveLength(3);
    expect((await client.keys.list()).map(({ name }) => name)).toContain("nightly");
    expect(await client.keys.update(created.id, { name: "hourly" })).toMatchObject({ name: "hourly" });
    const rotated = await client.keys.rotate(created.id, { overlapSeconds: 60 });
    expect(rotated.key).not.toBe(created.key);
    const listed = async () => (await client.keys.list()).find(({ id }) => id === created.id);
    expect((await listed())?.old_secret_until).toEqual(expect.any(String));
    await client.keys.endOverlap(created.id);
    expect((await listed())?.old_secret_until).toBeNull();
    await client.keys.revoke(created.id);
    const error = await failureOf(depot.client({ apiKey: rotated.key }).list());
    expect(error).toMatchObject({ kind: "unauthorized", status: 401, rc: "UNAUTHORIZED", retryable: false });
  });

  it("lists the keys of all pages", async () => {
    for (const name of ["first", "second", "third"]) await client.keys.create({ name });
    let requests = 0;
    const fetchTwoPerPage: typeof fetch = (url, init) => {
      requests += 1;
      const limited = new URL(String(url));
      limited.searchParams.set("limit", "2");
      return fetch(limited, init);
    };
    expect(await depot.client({ fetch: fetchTwoPerPage }).keys.list()).toEqual(await client.keys.list());
    expect(requests).toBeGreaterThan(1);
  });

  it("never creates or rotates a key twice when a response is lost", async () => {
    front.reset();
    front.api = () => ({ cutAfterBytes: 5 });
    const unlucky = depot.client({ baseUrl: front.url });
    expect(await failureOf(unlucky.keys.create({ name: "lost" }))).toMatchObject({ kind: "network" });
    expect((await client.keys.list()).filter(({ name }) => name === "lost")).toHaveLength(1);
    const { id } = await client.keys.create({ name: "kept" });
    front.seenByApi.length = 0;
    await failureOf(unlucky.keys.rotate(id));
    expect(front.seenByApi).toHaveLength(1);
  });
});

describe("an error response", () => {
  it("becomes an error with kind, status and rc", async () => {
    const kinds = async (promise: Promise<unknown>) => {
      const { kind, status, rc, requestId } = await failureOf(promise);
      expect(requestId).toMatch(/\S/);
      return [kind, status, rc];
    };
    expect(await kinds(client.metadata("nope_v1"))).toEqual(["not_found", 404, "UNKNOWN_DATASET"]);
    expect(await kinds(client.metadata("bogon_ip_v1"))).toEqual(["not_licensed", 403, "NOT_LICENSED"]);
    expect(await kinds(client.checksums(ID, "zip" as "mmdb"))).toEqual(["bad_request", 400, "INVALID_FORMAT"]);
    expect(await kinds(client.keys.create({ name: "" }))).toEqual(["bad_request", 400, "INVALID_REQUEST"]);
  });

  it("is retried after Retry-After, up to retryWaitMaxMs", async () => {
    const error = await failureOf(depot.client({ retryWaitMaxMs: 10 }).metadata("tor_ip_v1"));
    expect(error).toMatchObject({ kind: "not_available", status: 503, rc: "NOT_AVAILABLE", retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(10);
    front.reset();
    front.api = ({ number }) => (number < 2 ? { status: 429, headers: { "retry-after": "1" } } : undefined);
    const events: RetryEvent[] = [];
    await depot.client({ baseUrl: front.url, onRetry: (event) => events.push(event) }).list();
    expect(events.map(({ attempt, delayMs, error: { kind } }) => [attempt, delayMs, kind])).toEqual([
      [1, 1000, "rate_limited"],
      [2, 1000, "rate_limited"],
    ]);
  });

  it("is not retried for other 4xx statuses", async () => {
    front.reset();
    front.api = () => ({ status: 418 });
    const error = await failureOf(depot.client({ baseUrl: front.url }).list());
    expect(error).toMatchObject({ kind: "bad_request", status: 418, rc: "FAULT", retryable: false });
    expect(front.seenByApi).toHaveLength(1);
  });
});

describe("an unreachable service", () => {
  it("causes a network error after the last retry", async () => {
    const error = await failureOf(depot.client({ baseUrl: "http://127.0.0.1:1", retries: 2 }).list());
    expect(error).toMatchObject({ kind: "network", code: "ECONNREFUSED", status: null, retryable: true });
  });

  it("causes a timeout if it accepts the connection and sends nothing", async () => {
    front.reset();
    front.api = () => ({ stallAfterBytes: 5 });
    const error = await failureOf(depot.client({ baseUrl: front.url, timeoutMs: 100, retries: 1 }).list());
    expect(error).toMatchObject({ kind: "timeout", retryable: true });
    front.api = () => new Promise(() => {});
    expect(await failureOf(depot.client({ baseUrl: front.url, timeoutMs: 100, retries: 1 }).list())).toMatchObject({
      kind: "timeout",
    });
    expect(front.seenByApi).toHaveLength(4);
  });

  it("causes a timeout if the TLS handshake never ends", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const error = await failureOf(
      depot.client({ baseUrl: `https://127.0.0.1:${port}`, timeoutMs: 100, retries: 0 }).list(),
    );
    expect(error).toMatchObject({ kind: "timeout", retryable: true });
    silent.close();
  });
});

describe("the constructor", () => {
  it("rejects invalid options", () => {
    expect(() => depot.client({ baseUrl: "depot.example" })).toThrow("baseUrl must be a URL");
    expect(() => depot.client({ apiKey: " " })).toThrow("apiKey is empty");
    expect(() => depot.client({ apiKey: "dbd_two\nlines" })).toThrow(DbdepotError);
  });
});

describe("a custom fetch", () => {
  it("is used for every request", async () => {
    const asked: string[] = [];
    const counting: typeof fetch = (input, init) => {
      asked.push(new URL(String(input)).pathname);
      return fetch(input, init);
    };
    front.reset();
    front.storage = ({ number }) => (number === 0 ? { cutAfterBytes: 20_000 } : undefined);
    const own = depot.client({ baseUrl: front.url, fetch: counting });
    const path = depot.path("own.mmdb");
    expect(await own.download(ID, "mmdb", { to: path })).toMatchObject({ sha256: sha256Of(files.mmdb) });
    expect(asked).toHaveLength(4);
    expect(
      await failureOf(depot.client({ fetch: counting, baseUrl: "http://127.0.0.1:1", retries: 0 }).list()),
    ).toMatchObject({ kind: "network" });
  });

  it("can time out and be aborted", async () => {
    front.reset();
    front.api = () => ({ stallAfterBytes: 5 });
    const slow = depot.client({ baseUrl: front.url, fetch, timeoutMs: 100, retries: 0 });
    expect(await failureOf(slow.list())).toMatchObject({ kind: "timeout" });
    expect(await failureOf(slow.list({ signal: AbortSignal.timeout(10) }))).toMatchObject({ kind: "aborted" });
  });
});
