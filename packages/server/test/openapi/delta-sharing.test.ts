import { beforeAll, describe, test } from "vitest";
import { Coverage } from "./coverage.ts";
import type { Operation } from "./documented.ts";
import { addTables, exceedLimits, sharedFixture } from "./fixture.ts";

const SHARE = "/delta-sharing/shares/{share}";
const TABLE = `${SHARE}/schemas/{schema}/tables/{table}`;
const JSON_TYPE = { "content-type": "application/json" };

const coverage = new Coverage("delta-sharing");
const fixture = sharedFixture();

beforeAll(async () => {
  const { operator, service } = fixture;
  await addTables(fixture, ["vpn_ip_v1", "expired_ip_v1", "unlicensed_ip_v1", "soon_ip_v1", "bound_ip_v1"]);
  const { store } = service.services;
  // The rows of the second version are gone, and the changes that lead to the third one are unknown.
  const version = { versionId: "vpn_ip_v1", columns: [], changeFiles: 0, created: fixture.clock.now() };
  const { id: buildId } = fixture.build;
  const { id: otherId } = await operator.publish("hosting_provider_v1");
  await store.change(async ({ sharing }) => {
    await sharing.insertVersion({ ...version, number: 2, buildId: otherId, baseBuildId: buildId, noChanges: null });
    await sharing.insertVersion({ ...version, number: 3, buildId, baseBuildId: otherId, noChanges: "unknown" });
  });
  await operator.settle();
});

/** Uses the customer's key, unless headers replace it. */
function expectFor(
  operation: Operation,
  id: string,
  expected: string,
  { query = "", ...init }: RequestInit & { query?: string } = {},
) {
  const path = operation
    .slice(operation.indexOf("/"))
    .replace("{share}", id.replace(/_v1$/, ""))
    .replace("{schema}", "default")
    .replace("{table}", id);
  const headers = { authorization: `Bearer ${fixture.customer.key}`, ...init.headers };
  return coverage.expect(fixture.service.apiUrl, operation, expected, { ...init, path: path + query, headers });
}

describe("responses of Delta Sharing", () => {
  test.for([
    "/delta-sharing/shares",
    SHARE,
    `${SHARE}/schemas`,
    `${SHARE}/schemas/{schema}/tables`,
    `${SHARE}/all-tables`,
  ])("match the document for %s", async (path) => {
    const operation: Operation = `GET ${path}` as Operation;
    await expectFor(operation, "vpn_ip_v1", "200");
    await expectFor(operation, "vpn_ip_v1", "401 UNAUTHORIZED", { headers: { authorization: "Bearer x" } });
    if (path !== SHARE) await expectFor(operation, "vpn_ip_v1", "400 INVALID_REQUEST", { query: "?maxResults=x" });
    if (path.includes("{share}")) await expectFor(operation, "unlicensed_ip_v1", "404 UNKNOWN_DATASET");
  });

  test.for([
    [`GET ${TABLE}/version`, {}, { query: "?startingTimestamp=x" }],
    [`GET ${TABLE}/metadata`, {}, undefined],
    [`POST ${TABLE}/query`, { body: "{}", headers: JSON_TYPE }, { body: '{"timestamp":"x"}', headers: JSON_TYPE }],
    [`GET ${TABLE}/changes`, { query: "?startingVersion=1&endingVersion=1" }, { query: "" }],
  ] as const)("match the document for %s", async ([operation, request, invalid]) => {
    const headers = "headers" in request ? request.headers : {};
    await expectFor(operation, "vpn_ip_v1", "200", request);
    const unauthorized = { ...request, headers: { ...headers, authorization: "Bearer x" } };
    await expectFor(operation, "vpn_ip_v1", "401 UNAUTHORIZED", unauthorized);
    await expectFor(operation, "unlicensed_ip_v1", "403 NOT_LICENSED", request);
    await expectFor(operation, "expired_ip_v1", "403 LICENSE_EXPIRED", request);
    await expectFor(operation, "bound_ip_v1", "403 TERMS_NOT_ACCEPTED", request);
    await expectFor(operation, "no_ip_v1", "404 UNKNOWN_DATASET", request);
    await expectFor(operation, "soon_ip_v1", "503 NOT_AVAILABLE", request);
    if (invalid) await expectFor(operation, "vpn_ip_v1", "400 INVALID_REQUEST", invalid);
  });

  test("match the document for versions that don't exist or are no longer kept", async () => {
    const later = "?startingTimestamp=2999-01-01T00:00:00Z";
    await expectFor(`GET ${TABLE}/version`, "vpn_ip_v1", "404 UNKNOWN_BUILD", { query: later });
    await expectFor(`GET ${TABLE}/changes`, "vpn_ip_v1", "404 UNKNOWN_BUILD", { query: later });
    await expectFor(`GET ${TABLE}/changes`, "vpn_ip_v1", "410 VERSION_GONE", { query: "?startingVersion=1" });
    const query = { method: "POST", headers: JSON_TYPE };
    await expectFor(`POST ${TABLE}/query`, "vpn_ip_v1", "404 UNKNOWN_BUILD", { ...query, body: '{"version":99}' });
    await expectFor(`POST ${TABLE}/query`, "vpn_ip_v1", "410 VERSION_GONE", { ...query, body: '{"version":2}' });
    await fixture.service.services.store.change(({ builds }) =>
      builds.setState(fixture.build.id, { state: "removed" }),
    );
    await expectFor(`POST ${TABLE}/query`, "vpn_ip_v1", "503 NOT_AVAILABLE", { ...query, body: '{"version":1}' });
    await fixture.service.services.store.change(({ builds }) =>
      builds.setState(fixture.build.id, { state: "published" }),
    );
  });

  test("match the document for invalid bodies and limits", async () => {
    const body = JSON.stringify({ jsonPredicateHints: "x".repeat(70_000) });
    await expectFor(`POST ${TABLE}/query`, "vpn_ip_v1", "413 TOO_LARGE", { body, headers: JSON_TYPE });
    const isText = { body: "{}", headers: { "content-type": "text/plain" } };
    await expectFor(`POST ${TABLE}/query`, "vpn_ip_v1", "415 UNSUPPORTED_MEDIA_TYPE", isText);
    await exceedLimits(fixture, async (expected) => {
      // Links need no stream.
      if (expected.endsWith("TOO_MANY_STREAMS")) return;
      await expectFor(`POST ${TABLE}/query`, "vpn_ip_v1", expected, { body: "{}", headers: JSON_TYPE });
      await expectFor(`GET ${TABLE}/changes`, "vpn_ip_v1", expected, { query: "?startingVersion=1&endingVersion=1" });
    });
  });

  test("match the document for rate-limited requests", () => coverage.callTooOften());

  test("cover every response in the document", () => coverage.expectComplete());
});
