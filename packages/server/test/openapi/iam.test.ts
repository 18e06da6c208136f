import { describe, test } from "vitest";
import { createKey } from "../../src/domain/keys/keys.ts";
import { personOf } from "../routes/console/person.ts";
import { Coverage } from "./coverage.ts";
import type { Operation } from "./documented.ts";
import { openFixture, sharedFixture } from "./fixture.ts";

const KEYS = "/api/v1/iam/apikeys";
const UNKNOWN_KEY = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";
const KEY_CHANGES = [
  ["POST", ""],
  ["PATCH", `/${UNKNOWN_KEY}`],
  ["POST", `/${UNKNOWN_KEY}/rotate`],
  ["POST", `/${UNKNOWN_KEY}/end-overlap`],
  ["POST", `/${UNKNOWN_KEY}/revoke`],
] as const;

const coverage = new Coverage("iam");
const fixture = sharedFixture();

function expectResponse(operation: Operation, query: string, expected: string, headers = {}) {
  return coverage.expect(fixture.service.apiUrl, operation, expected, { query, headers });
}

/** Uses the customer's key, which also has the scope `apikeys.manage`. */
function expectKeys(method: string, path: string, expected: string, body?: object, headers = {}) {
  return coverage.expect(fixture.service.apiUrl, operationOf(method, path), expected, {
    path: KEYS + path,
    headers: {
      authorization: `Bearer ${fixture.customer.key}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function operationOf(method: string, path: string): Operation {
  return `${method} ${KEYS}${path.replace(/^\/[0-9a-f-]{36}/, "/{id}")}`;
}

/** Creates a key with `apikeys.manage` that works only from this machine. */
async function createRestrictedKey(): Promise<string> {
  const { reply } = await coverage.call(fixture.service.apiUrl, `POST ${KEYS}`, {
    headers: { authorization: `Bearer ${fixture.customer.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "restricted", allowed_scopes: ["apikeys.manage"], allowed_cidrs: ["127.0.0.0/8"] }),
  });
  return reply.json.key;
}

describe("Responses about API keys", () => {
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
      const request = { path, headers, body: JSON.stringify(body) };
      await coverage.expect(service.apiUrl, operation, "409 TOO_MANY_KEYS", request);
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
      const request = { path: KEYS + path, headers: { cookie, "sec-fetch-site": "cross-site" } };
      await coverage.expect(fixture.service.apiUrl, operationOf(method, path), "403 CROSS_ORIGIN", request);
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

  test("match the document for rate-limited requests", () => coverage.callTooOften());

  test("cover every response in the document", () => coverage.expectComplete());
});
