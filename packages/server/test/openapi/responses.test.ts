import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { withdrawBuild } from "../../src/domain/builds/rollback.ts";
import { createKey, revokeKey } from "../../src/domain/keys/keys.ts";
import { createSigningKey } from "../../src/domain/manifests/signing-keys.ts";
import { personOf } from "../routes/console/person.ts";
import { callDocumented, documentedResponses } from "./documented.ts";
import { type Fixture, openFixture } from "./fixture.ts";

const V2 = "/api/v2/database";
const V1 = "/api/v1/database";
const KEYS = "/api/v1/iam/apikeys";
const UNKNOWN_KEY = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";
const KEY_CHANGES = [
  ["POST", ""],
  ["PATCH", `/${UNKNOWN_KEY}`],
  ["POST", `/${UNKNOWN_KEY}/rotate`],
  ["POST", `/${UNKNOWN_KEY}/end-overlap`],
  ["POST", `/${UNKNOWN_KEY}/revoke`],
] as const;
const UNKNOWN_BUILD_ID = "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11";

/** The others are in console.test.ts and webhooks.test.ts. */
const documentedHere = documentedResponses().filter((outcome) => !/ \/api\/(console|v2\/webhooks)/.test(outcome));

/** The responses received so far. The last test compares them with the document. */
const seen = new Set<string>();

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.dispose());

async function expectResponse(
  operation: `${string} /${string}`,
  query: string,
  expected: string,
  headers = {},
): Promise<void> {
  const { outcome } = await callDocumented(fixture.service.apiUrl, operation, { query, headers });
  seen.add(outcome);
  expect(outcome).toBe(`${operation} ${expected}`);
}

/** Uses the customer's key. */
function expectV2(endpoint: string, query: string, expected: string, headers = {}): Promise<void> {
  const authorization = `Bearer ${fixture.customer.key}`;
  return expectResponse(`GET ${V2}/${endpoint}`, query, expected, { authorization, ...headers });
}

function expectV1(endpoint: string, query: string, expected: string, headers = {}): Promise<void> {
  return expectResponse(`GET ${V1}/${endpoint}`, `${query}&apikey=${fixture.uuid}`, expected, headers);
}

/** Uses the customer's key, which also has the scope `apikeys.manage`. */
async function expectKeys(method: string, path: string, expected: string, body?: object, headers = {}): Promise<void> {
  const { outcome } = await callDocumented(
    fixture.service.apiUrl,
    `${method} ${KEYS}${path.replace(/^\/[0-9a-f-]{36}/, "/{id}")}`,
    {
      path: KEYS + path,
      headers: {
        authorization: `Bearer ${fixture.customer.key}`,
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    },
  );
  seen.add(outcome);
  expect(outcome).toContain(` ${expected}`);
}

/** Creates a key with `apikeys.manage` that works only from this machine. */
async function createRestrictedKey(): Promise<string> {
  const { reply } = await callDocumented(fixture.service.apiUrl, `POST ${KEYS}`, {
    headers: { authorization: `Bearer ${fixture.customer.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "restricted", allowed_scopes: ["apikeys.manage"], allowed_cidrs: ["127.0.0.0/8"] }),
  });
  return reply.json.key;
}

describe("API responses", () => {
  test("match the document for v2 list and downloads", async () => {
    await expectV2("list", "", "200");
    await expectV2("list", "", "304", { "if-none-match": "*" });
    await expectV2("downloads", "", "200");
    await expectV2("usage", "?by=day", "200");
    await expectV2("usage", "?by=year", "400 INVALID_REQUEST");
    await expectResponse(`GET ${V2}/usage`, "", "401 UNAUTHORIZED");
    await expectResponse(`GET ${V2}/list`, "", "401 UNAUTHORIZED");
    await expectResponse(`GET ${V2}/downloads`, "", "401 UNAUTHORIZED");
  });

  test("match the document for the feed", async () => {
    const authorization = `Bearer ${fixture.customer.key}`;
    await expectResponse("GET /api/v2/feed.atom", "", "200", { authorization });
    await expectResponse("GET /api/v2/feed.atom", "", "304", { authorization, "if-none-match": "*" });
    await expectResponse("GET /api/v2/feed.atom", "", "401 UNAUTHORIZED");
  });

  test("match the document for v2 events", async () => {
    await expectResponse("GET /api/v2/events", "", "401 UNAUTHORIZED");
    const { key, keyId } = await fixture.operator.colleague(fixture.customer);
    const response = expectResponse("GET /api/v2/events", "", "200", { authorization: `Bearer ${key}` });
    const { eventStreams } = fixture.service.services.metrics;
    await expect.poll(async () => (await eventStreams.get()).values[0]?.value).toBe(1);
    // Revoking the key ends the stream.
    await revokeKey(fixture.operator.operation(), keyId);
    await response;
  });

  test("match the document for signing keys and manifests", async () => {
    const keys = "GET /.well-known/dbdepot-keys.json";
    await expectResponse(keys, "", "404 NOT_SIGNED");
    await createSigningKey(fixture.operator.operation());
    await fixture.operator.settle();
    await expectResponse(keys, "", "200");
    await expectResponse(keys, "", "304", { "if-none-match": "*" });
    await expectV2("manifest", "?id=vpn_ip_v1&sequence=99", "404 NOT_SIGNED");
    await expectV2("manifest", "?id=vpn_ip_v1&part=signature", "200");
  });

  test.for(["download", "checksum", "metadata", "manifest"])(
    "match the document for errors of v2 %s",
    async (endpoint) => {
      const id = (id: string) => `?id=${id}&format=mmdb`;
      await expectResponse(`GET ${V2}/${endpoint}`, id("vpn_ip_v1"), "401 UNAUTHORIZED");
      await expectV2(endpoint, id("unlicensed_ip_v1"), "403 NOT_LICENSED");
      await expectV2(endpoint, id("expired_ip_v1"), "403 LICENSE_EXPIRED");
      await expectV2(endpoint, id("no_ip_v1"), "404 UNKNOWN_DATASET");
      await expectV2(endpoint, `${id("vpn_ip_v1")}&build=${UNKNOWN_BUILD_ID}`, "404 UNKNOWN_BUILD");
      await expectV2(endpoint, id("soon_ip_v1"), "503 NOT_AVAILABLE");
      const hasFormat = endpoint === "download" || endpoint === "checksum";
      if (hasFormat) await expectV2(endpoint, "?id=vpn_ip_v1&format=zip", "400 INVALID_FORMAT");
    },
  );

  test("match the document for v2 changes", async () => {
    const { operator } = fixture;
    const query = "?id=vpn_ip_v1";
    await expectResponse(`GET ${V2}/changes`, query, "401 UNAUTHORIZED");
    await expectV2("changes", "?id=unlicensed_ip_v1", "403 NOT_LICENSED");
    await expectV2("changes", "?id=expired_ip_v1", "403 LICENSE_EXPIRED");
    await expectV2("changes", "?id=no_ip_v1", "404 UNKNOWN_DATASET");
    await expectV2("changes", `${query}&from=${UNKNOWN_BUILD_ID}`, "404 UNKNOWN_BUILD");
    await expectV2("changes", "?id=soon_ip_v1", "503 NOT_AVAILABLE");
    await expectV2("changes", `${query}&format=mmdb`, "400 INVALID_FORMAT");
    await expectV2("changes", `${query}&rows=1`, "409 NOT_COMPARABLE");
    const earlier = await operator.publish("hosting_provider_v1", "one");
    await operator.publish("hosting_provider_v1", "two");
    const pair = `?id=hosting_provider_v1&from=${earlier.id}`;
    await expectV2("changes", pair, "200");
    await expectV2("changes", `${pair}&rows=1`, "200");
    await withdrawBuild(operator.operation(), earlier.id);
    await operator.settle();
    await expectV2("changes", pair, "410 BUILD_GONE");
  });

  test.for(["checksum", "metadata", "manifest"])(
    "match the document for v2 %s, including unchanged and pinned builds",
    async (endpoint) => {
      await expectV2(endpoint, "?id=vpn_ip_v1&format=mmdb", "200");
      await expectV2(endpoint, `?id=vpn_ip_v1&format=mmdb&build=${fixture.build.id}`, "200");
      await expectV2(endpoint, "?id=vpn_ip_v1&format=mmdb", "304", { "if-none-match": "*" });
    },
  );

  test("match the document for v2 download and the download history", async () => {
    await expectV2("download", "?id=vpn_ip_v1&format=mmdb", "302");
    for (const endpoint of ["download", "checksum"]) {
      await expectV2(endpoint, "?id=vpn_ip_v1&format=mmdb&from=none", "400 INVALID_REQUEST");
    }
    await expectFileResponses((headers, expected) =>
      expectV2("download", "?id=vpn_ip_v1&format=mmdb&delivery=stream", expected, headers),
    );
    await expectV2("downloads", "?limit=2", "200");
  });

  test.for([
    ["/geoip/updates/metadata", "/geoip/updates/metadata?edition_id={id}"],
    ["/geoip/databases/{id}/download", "/geoip/databases/{id}/download?suffix=tar.gz"],
    ["/geoip/databases/{id}/update", "/geoip/databases/{id}/update?db_md5=x"],
  ] as const)("match the document for %s", async ([documented, template]) => {
    const expectGeoip = async (id: string, expected: string, more = "", headers = {}) => {
      const path = template.replace("{id}", id) + more;
      const authorization = `Bearer ${fixture.customer.key}`;
      const options = { path, headers: { authorization, ...headers } };
      const { outcome } = await callDocumented(
        fixture.service.apiUrl,
        `GET ${documented}` as `GET /${string}`,
        options,
      );
      seen.add(outcome);
      expect(outcome).toBe(`GET ${documented} ${expected}`);
    };
    await expectGeoip("vpn_ip_v1", "200");
    await expectGeoip("vpn_ip_v1", "401 UNAUTHORIZED", "", { authorization: "Basic eDp4" });
    await expectGeoip("unlicensed_ip_v1", "403 NOT_LICENSED");
    await expectGeoip("expired_ip_v1", "403 LICENSE_EXPIRED");
    await expectGeoip("no_ip_v1", "404 UNKNOWN_DATASET");
    await expectGeoip("soon_ip_v1", "503 NOT_AVAILABLE");
    await expectGeoip("hosting_provider_v1", "400 INVALID_FORMAT");
    if (documented.endsWith("/metadata")) {
      const many = Array.from({ length: 101 }, (_, i) => `&edition_id=a${i}`).join("");
      await expectGeoip("vpn_ip_v1", "400 INVALID_REQUEST", many);
    }
    if (documented.endsWith("/download")) await expectGeoip("vpn_ip_v1", "404 UNKNOWN_BUILD", "&date=20200101");
    if (documented.endsWith("/update")) {
      const path = `/geoip/databases/vpn_ip_v1/update?db_md5=${fixture.build.files.mmdb?.checksums.md5}`;
      const authorization = `Bearer ${fixture.customer.key}`;
      const operation = `GET ${documented}` as `GET /${string}`;
      const { outcome } = await callDocumented(fixture.service.apiUrl, operation, { path, headers: { authorization } });
      seen.add(outcome);
      expect(outcome).toBe(`${operation} 304`);
    }
  });

  test("match the document for v1 download", async () => {
    await expectFileResponses((headers, expected) =>
      expectV1("download", "?id=vpn_ip_v1&format=csvgz", expected, headers),
    );
  });

  test.for(["download", "checksum", "metadata"])("match the document for errors of v1 %s", async (endpoint) => {
    await expectResponse(`GET ${V1}/${endpoint}`, "?id=vpn_ip_v1&format=mmdb", "401 INVALID_APIKEY");
    await expectV1(endpoint, "?id=vpn-ip&format=mmdb", "400 INVALID_ID");
    await expectV1(endpoint, "?id=unlicensed_ip_v1&format=mmdb", "403 UNAUTHORIZED_ID");
    await expectV1(endpoint, "?id=soon_ip_v1&format=mmdb", "404 DB_NOT_FOUND");
    if (endpoint !== "metadata") await expectV1(endpoint, "?id=vpn_ip_v1&format=zip", "400 INVALID_FORMAT");
  });

  test.for(["checksum", "metadata"])("match the document for v1 %s", async (endpoint) => {
    await expectV1(endpoint, "?id=vpn_ip_v1&format=mmdb", "200");
  });

  test("match the document for creating, listing, updating, rotating and revoking keys", async () => {
    await expectKeys("POST", "", "200", { name: "new" });
    await expectKeys("GET", "", "200");
    const identity = `GET /api/v1/iam/identity` as const;
    await expectResponse(identity, "", "200", { authorization: `Bearer ${fixture.customer.key}` });
    await expectResponse(identity, "", "401 UNAUTHORIZED");
    const reader = await fixture.operator.colleague(fixture.customer, { scopes: ["org.read"] });
    await expectResponse("GET /api/v1/iam/org", "", "200", { authorization: `Bearer ${reader.key}` });
    await expectResponse("GET /api/v1/iam/org", "", "401 UNAUTHORIZED");
    const authorization = `Bearer ${fixture.customer.key}`;
    await expectResponse(`GET ${KEYS}`, "?limit=none", "400 INVALID_REQUEST", { authorization });
    const { keyId } = await fixture.operator.colleague(fixture.customer);
    await expectKeys("PATCH", `/${keyId}`, "200", { name: "other" });
    await expectKeys("POST", `/${keyId}/rotate`, "200");
    await expectKeys("POST", `/${keyId}/end-overlap`, "200");
    await expectKeys("POST", `/${keyId}/revoke`, "200");
    await expectKeys("PATCH", `/${keyId}`, "409 KEY_REVOKED", { name: "other" });
    await expectKeys("POST", `/${keyId}/rotate`, "409 KEY_REVOKED");
    await expectKeys("POST", `/${keyId}/end-overlap`, "409 KEY_REVOKED");
  });

  test("match the document for a repeated Idempotency-Key", async () => {
    const once = { "idempotency-key": "once" };
    await expectKeys("POST", "", "200", { name: "new" }, once);
    await expectKeys("POST", "", "409 ALREADY_CREATED", { name: "new" }, once);
  });

  test("match the document if an organization has too many keys", async () => {
    const { service, operator, clock, customer, dispose } = await openFixture({
      DBDEPOT_MAX_KEYS_PER_ORGANIZATION: "2",
    });
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
      const { outcome } = await callDocumented(service.apiUrl, operation, {
        path,
        headers,
        body: JSON.stringify(body),
      });
      seen.add(outcome);
      expect(outcome).toBe(`${operation} 409 TOO_MANY_KEYS`);
    }
    await dispose();
  });

  test.for(KEY_CHANGES)("match the document for errors of %s on API keys%s", async ([method, path]) => {
    await expectKeys(method, path, "400 INVALID_REQUEST", { nonsense: true });
    await expectKeys(method, path, "401 UNAUTHORIZED", { name: "new" }, { authorization: "Bearer none" });
    await expectKeys(method, path, "413 TOO_LARGE", { name: "x".repeat(70_000) });
    await expectKeys(method, path, "415 UNSUPPORTED_MEDIA_TYPE", { name: "new" }, { "content-type": "text/plain" });
    if (method === "PATCH") await expectKeys(method, path, "404 NOT_FOUND", { name: "new" });
    else if (path) await expectKeys(method, path, "404 NOT_FOUND");
  });

  test("match the document if a restricted key changes a key outside its CIDRs", async () => {
    const { keyId } = await fixture.operator.colleague(fixture.customer);
    const restricted = await createRestrictedKey();
    const headers = { authorization: `Bearer ${restricted}` };
    await expectKeys("PATCH", `/${keyId}`, "403 OUTSIDE_CIDRS", { name: "other" }, headers);
    await expectKeys("POST", `/${keyId}/rotate`, "403 OUTSIDE_CIDRS", undefined, headers);
    await expectKeys("POST", `/${keyId}/end-overlap`, "403 OUTSIDE_CIDRS", undefined, headers);
    await expectResponse(`GET ${KEYS}`, "", "401 UNAUTHORIZED");
  });

  test("match the document if a page of another site changes keys with a session", async () => {
    const { cookie = "" } = await personOf(fixture, "admin@example.com", "admin", "Acme");
    for (const [method, path] of KEY_CHANGES) {
      const { outcome } = await callDocumented(
        fixture.service.apiUrl,
        `${method} ${KEYS}${path.replace(UNKNOWN_KEY, "{id}")}`,
        {
          path: KEYS + path,
          headers: { cookie, "sec-fetch-site": "cross-site" },
        },
      );
      seen.add(outcome);
      expect(outcome).toContain(" 403 CROSS_ORIGIN");
    }
  });

  test("match the document if a key changes a key that expires later", async () => {
    const { organizationId, keyId } = fixture.customer;
    const expires = new Date(fixture.clock.now().getTime() + 60_000);
    const request = { organizationId, name: "expiring", scopes: ["apikeys.manage"], cidrs: [], expires };
    const { plain } = await createKey(fixture.operator.operation(), request);
    const headers = { authorization: `Bearer ${plain.reveal()}` };
    await expectKeys("PATCH", `/${keyId}`, "403 BEYOND_EXPIRY", { name: "other" }, headers);
    await expectKeys("POST", `/${keyId}/rotate`, "403 BEYOND_EXPIRY", undefined, headers);
    await expectKeys("POST", `/${keyId}/end-overlap`, "403 BEYOND_EXPIRY", undefined, headers);
  });

  test.for(["/openapi.json", "/docs", "/download/dbdepot-client.tgz", "/download/dbdepot-client.tgz.sha256"] as const)(
    "match the document for %s",
    async (path) => {
      const { reply } = await callDocumented(fixture.service.apiUrl, `GET ${path}`);
      await expectResponse(`GET ${path}`, "", "200");
      await expectResponse(`GET ${path}`, "", "304", { "if-none-match": reply.headers.get("etag") });
    },
  );

  test("match the document for programs that sign in", async () => {
    const { apiUrl } = fixture.service;
    const sendForm = async (
      endpoint: string,
      form: Record<string, string>,
      expected: number,
      init: RequestInit = {},
    ) => {
      const operation = `POST /oauth/${endpoint}` as const;
      const options = { body: new URLSearchParams(form), ...init };
      const { reply, outcome } = await callDocumented(apiUrl, operation, options);
      seen.add(outcome);
      expect(outcome).toBe(`${operation} ${expected}`);
      return reply.json;
    };
    const isJson = { body: "{}", headers: { "content-type": "application/json" } };
    for (const endpoint of ["device_authorization", "token", "revoke"]) {
      await sendForm(endpoint, {}, 415, isJson);
      await sendForm(endpoint, { client_id: "x".repeat(70_000) }, 413);
      if (endpoint !== "revoke") await sendForm(endpoint, {}, 400);
    }
    await sendForm("revoke", {}, 200);
    const client_id = "dbdepot-cli";
    const { user_code, device_code } = await sendForm("device_authorization", { client_id }, 200);
    const person = await personOf(fixture, "oauth@example.com", "admin", "Acme");
    await person.post("/api/console/sign-ins/approve", { user_code, days: 1 });
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    await sendForm("token", { client_id, grant_type, device_code }, 200);
    for (let guess = 0; guess < 50; guess++) await call(`${apiUrl}/oauth/token`, formOf({ client_id, grant_type }));
    await sendForm("token", { client_id, grant_type, device_code }, 429);
    for (let start = 0; start < 30; start++) await call(`${apiUrl}/oauth/device_authorization`, formOf({ client_id }));
    await sendForm("device_authorization", { client_id }, 429);
    const known = "?client_id=dbdepot-cli&redirect_uri=http://127.0.0.1/";
    await expectResponse("GET /oauth/authorize", known, "302");
    await expectResponse("GET /oauth/authorize", "?client_id=unknown", "400");
    await expectResponse("GET /.well-known/oauth-authorization-server", "", "200");
    await expectResponse("GET /.well-known/openid-configuration", "", "200");
  });

  test("match the document if the headers are too large", async () => {
    await expectResponse("GET /docs", "", "431 HEADERS_TOO_LARGE", { "x-large": "x".repeat(17_000) });
  });

  test("match the document for rate-limited requests", async () => {
    const busy = await openFixture({ DBDEPOT_RATE_LIMIT: "1:1" });
    await callDocumented(busy.service.apiUrl, `GET ${V2}/list`);
    for (const outcome of documentedHere.filter((outcome) => outcome.includes(" 429 "))) {
      const operation = outcome.split(" 429 ")[0] as `${string} /${string}`;
      const { outcome: actual } = await callDocumented(busy.service.apiUrl, operation);
      seen.add(actual);
    }
    await busy.dispose();
  });

  test("cover every response in the document", () => {
    // Tests cannot provoke every 500 and 503, and 408 and 431 are the same for all endpoints.
    const documented = documentedHere.filter((outcome) => !/ (408|431|500|503)( |$)/.test(outcome));
    expect(documented.filter((outcome) => !seen.has(outcome))).toEqual([]);
  });
});

function formOf(form: Record<string, string>): RequestInit {
  return { method: "POST", body: new URLSearchParams(form) };
}

/** Provokes every response of an endpoint that sends files. */
async function expectFileResponses(
  expectWith: (headers: Record<string, string>, expected: string) => Promise<void>,
): Promise<void> {
  await expectWith({}, "200");
  await expectWith({ range: "bytes=3-" }, "206");
  await expectWith({ range: "bytes=9000-" }, "416 RANGE_NOT_SATISFIABLE");
  await expectWith({ "if-none-match": "*" }, "304");
  await expectWith({ "if-match": '"other"' }, "412 PRECONDITION_FAILED");
}
