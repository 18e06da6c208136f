import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKey } from "../../src/keys/keys.ts";
import { documentedAnswers, visit } from "./documented.ts";
import { openScene, type Scene } from "./scene.ts";

const V2 = "/api/v2/database";
const V1 = "/api/v1/database";
const KEYS = "/api/v1/iam/apikeys";
const NO_KEY = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";
const NO_BUILD = "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11";

/** What came back so far: in the end, everything that the document promises. */
const seen = new Set<string>();

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.dispose());

async function see(operation: `${string} /${string}`, query: string, expected: string, headers = {}): Promise<void> {
  const { answer } = await visit(scene.service.apiUrl, operation, { query, headers });
  seen.add(answer);
  expect(answer).toBe(`${operation} ${expected}`);
}

/** With the customer's key. */
function seeV2(address: string, query: string, expected: string, headers = {}): Promise<void> {
  const authorization = `Bearer ${scene.customer.key}`;
  return see(`GET ${V2}/${address}`, query, expected, { authorization, ...headers });
}

function seeV1(address: string, query: string, expected: string, headers = {}): Promise<void> {
  return see(`GET ${V1}/${address}`, `${query}&apikey=${scene.uuid}`, expected, headers);
}

/** With the customer's key, which has the scope for it too. */
async function seeKeys(method: string, path: string, expected: string, body?: object, headers = {}): Promise<void> {
  const { answer } = await visit(
    scene.service.apiUrl,
    `${method} ${KEYS}${path.replace(/^\/[0-9a-f-]{36}/, "/{id}")}`,
    {
      path: KEYS + path,
      headers: {
        authorization: `Bearer ${scene.customer.key}`,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    },
  );
  seen.add(answer);
  expect(answer).toContain(` ${expected}`);
}

/** A manager's key that works from this machine alone. */
async function boundColleague(): Promise<string> {
  const { reply } = await visit(scene.service.apiUrl, `POST ${KEYS}`, {
    headers: { authorization: `Bearer ${scene.customer.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "bound", allowed_scopes: ["apikeys.manage"], allowed_cidrs: ["127.0.0.0/8"] }),
  });
  return reply.json.key;
}

describe("real answers fit the document", () => {
  test("v2: what needs no id", async () => {
    await seeV2("list", "", "200");
    await seeV2("downloads", "", "200");
    await see(`GET ${V2}/list`, "", "401 UNAUTHORIZED");
    await see(`GET ${V2}/downloads`, "", "401 UNAUTHORIZED");
  });

  test.for(["download", "checksum", "metadata"])("v2: refusals of %s", async (address) => {
    const id = (id: string) => `?id=${id}&format=mmdb`;
    await see(`GET ${V2}/${address}`, id("vpn_ip_v1"), "401 UNAUTHORIZED");
    await seeV2(address, id("foreign_ip_v1"), "403 NOT_LICENSED");
    await seeV2(address, id("ended_ip_v1"), "403 LICENSE_EXPIRED");
    await seeV2(address, id("no_ip_v1"), "404 UNKNOWN_DATASET");
    await seeV2(address, `${id("vpn_ip_v1")}&build=${NO_BUILD}`, "404 UNKNOWN_BUILD");
    await seeV2(address, id("soon_ip_v1"), "503 NOT_AVAILABLE");
    if (address !== "metadata") await seeV2(address, "?id=vpn_ip_v1&format=zip", "400 INVALID_FORMAT");
  });

  test.for(["checksum", "metadata"])("v2: %s, new and known", async (address) => {
    await seeV2(address, "?id=vpn_ip_v1&format=mmdb", "200");
    await seeV2(address, `?id=vpn_ip_v1&format=mmdb&build=${scene.build.id}`, "200");
    await seeV2(address, "?id=vpn_ip_v1&format=mmdb", "304", { "if-none-match": "*" });
  });

  test("v2: downloads, and the history that they leave", async () => {
    await seeV2("download", "?id=vpn_ip_v1&format=mmdb", "302");
    await seeFile((headers, expected) =>
      seeV2("download", "?id=vpn_ip_v1&format=mmdb&delivery=stream", expected, headers),
    );
    await seeV2("downloads", "?limit=2", "200");
  });

  test("v1: downloads", async () => {
    await seeFile((headers, expected) => seeV1("download", "?id=vpn_ip_v1&format=csvgz", expected, headers));
  });

  test.for(["download", "checksum", "metadata"])("v1: refusals of %s", async (address) => {
    await see(`GET ${V1}/${address}`, "?id=vpn_ip_v1&format=mmdb", "401 INVALID_APIKEY");
    await seeV1(address, "?id=vpn-ip&format=mmdb", "400 INVALID_ID");
    await seeV1(address, "?id=foreign_ip_v1&format=mmdb", "403 UNAUTHORIZED_ID");
    await seeV1(address, "?id=soon_ip_v1&format=mmdb", "404 DB_NOT_FOUND");
    if (address !== "metadata") await seeV1(address, "?id=vpn_ip_v1&format=zip", "400 INVALID_FORMAT");
  });

  test.for(["checksum", "metadata"])("v1: %s", async (address) => {
    await seeV1(address, "?id=vpn_ip_v1&format=mmdb", "200");
  });

  test("keys: created, listed, changed, rotated, revoked", async () => {
    await seeKeys("POST", "", "200", { name: "new" });
    await seeKeys("GET", "", "200");
    const authorization = `Bearer ${scene.customer.key}`;
    await see(`GET ${KEYS}`, "?limit=none", "400 INVALID_REQUEST", { authorization });
    const { keyId } = await scene.operator.colleague(scene.customer);
    await seeKeys("PATCH", `/${keyId}`, "200", { name: "other" });
    await seeKeys("POST", `/${keyId}/rotate`, "200");
    await seeKeys("POST", `/${keyId}/revoke`, "200");
    await seeKeys("PATCH", `/${keyId}`, "409 KEY_REVOKED", { name: "other" });
    await seeKeys("POST", `/${keyId}/rotate`, "409 KEY_REVOKED");
  });

  test("keys: a creation that was made before", async () => {
    const once = { "idempotency-key": "once" };
    await seeKeys("POST", "", "200", { name: "new" }, once);
    await seeKeys("POST", "", "409 ALREADY_CREATED", { name: "new" }, once);
  });

  test("keys: more than an organization can have", async () => {
    const { service, operator, clock, customer, dispose } = await openScene({ DBDEPOT_MAX_KEYS_PER_ORGANIZATION: "2" });
    const headers = { authorization: `Bearer ${customer.key}`, "content-type": "application/json" };
    const expires = new Date(clock.now().getTime() + 60_000);
    const short = { organizationId: customer.organizationId, name: "short", scopes: [], cidrs: [], expires };
    const { key } = await createKey(operator.operation(), short);
    clock.advance("61 seconds");
    await operator.colleague(customer);
    for (const [operation, path, body] of [
      [`POST ${KEYS}`, KEYS, { name: "new" }],
      [`PATCH ${KEYS}/{id}`, `${KEYS}/${key.id}`, { expires: null }],
    ] as const) {
      const { answer } = await visit(service.apiUrl, operation, { path, headers, body: JSON.stringify(body) });
      seen.add(answer);
      expect(answer).toBe(`${operation} 409 TOO_MANY_KEYS`);
    }
    await dispose();
  });

  test.for([
    ["POST", ""],
    ["PATCH", `/${NO_KEY}`],
    ["POST", `/${NO_KEY}/rotate`],
    ["POST", `/${NO_KEY}/revoke`],
  ] as const)("keys: refusals of %s %s", async ([method, path]) => {
    await seeKeys(method, path, "400 INVALID_REQUEST", { nonsense: true });
    await seeKeys(method, path, "401 UNAUTHORIZED", { name: "new" }, { authorization: "Bearer none" });
    await seeKeys(method, path, "413 TOO_LARGE", { name: "x".repeat(70_000) });
    await seeKeys(method, path, "415 UNSUPPORTED_MEDIA_TYPE", { name: "new" }, { "content-type": "text/plain" });
    if (method === "PATCH") await seeKeys(method, path, "404 NOT_FOUND", { name: "new" });
    else if (path) await seeKeys(method, path, "404 NOT_FOUND");
  });

  test("keys: one that is bound to a network changes none outside it", async () => {
    const { keyId } = await scene.operator.colleague(scene.customer);
    const bound = await boundColleague();
    const headers = { authorization: `Bearer ${bound}` };
    await seeKeys("PATCH", `/${keyId}`, "403 OUTSIDE_CIDRS", { name: "other" }, headers);
    await seeKeys("POST", `/${keyId}/rotate`, "403 OUTSIDE_CIDRS", undefined, headers);
    await see(`GET ${KEYS}`, "", "401 UNAUTHORIZED");
  });

  test("keys: one that expires changes none that expires later", async () => {
    const { organizationId, keyId } = scene.customer;
    const expires = new Date(scene.clock.now().getTime() + 60_000);
    const request = { organizationId, name: "expiring", scopes: ["apikeys.manage"], cidrs: [], expires };
    const { plain } = await createKey(scene.operator.operation(), request);
    const headers = { authorization: `Bearer ${plain.reveal()}` };
    await seeKeys("PATCH", `/${keyId}`, "403 BEYOND_EXPIRY", { name: "other" }, headers);
    await seeKeys("POST", `/${keyId}/rotate`, "403 BEYOND_EXPIRY", undefined, headers);
  });

  test.for(["/openapi.json", "/docs"] as const)("%s", async (path) => {
    const { reply } = await visit(scene.service.apiUrl, `GET ${path}`);
    await see(`GET ${path}`, "", "200");
    await see(`GET ${path}`, "", "304", { "if-none-match": reply.headers.get("etag") });
  });

  test("headers that are too large", async () => {
    await see("GET /docs", "", "431 HEADERS_TOO_LARGE", { "x-large": "x".repeat(17_000) });
  });

  test("too many requests: whoever guesses keys waits everywhere", async () => {
    const busy = await openScene({ DBDEPOT_RATE_LIMIT: "1:1" });
    await visit(busy.service.apiUrl, `GET ${V2}/list`);
    for (const answer of documentedAnswers().filter((answer) => answer.includes(" 429 "))) {
      const operation = answer.split(" 429 ")[0] as `${string} /${string}`;
      const { answer: actual } = await visit(busy.service.apiUrl, operation);
      seen.add(actual);
    }
    await busy.dispose();
  });

  test("and the document promises nothing that was not seen", () => {
    // Faults and troubles of our own cannot be asked for, and 431 is the same everywhere.
    const promised = documentedAnswers().filter((answer) => !/ (431|500|503) /.test(answer));
    expect(promised.filter((answer) => !seen.has(answer))).toEqual([]);
  });
});

/** The answers of an address that sends files. */
async function seeFile(seeWith: (headers: Record<string, string>, expected: string) => Promise<void>): Promise<void> {
  await seeWith({}, "200");
  await seeWith({ range: "bytes=3-" }, "206");
  await seeWith({ range: "bytes=9000-" }, "416 RANGE_NOT_SATISFIABLE");
  await seeWith({ "if-none-match": "*" }, "304");
  await seeWith({ "if-match": '"other"' }, "412 PRECONDITION_FAILED");
}
