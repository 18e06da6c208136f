import { describe, expect, test } from "vitest";
import { withdrawBuild } from "../../src/domain/builds/rollback.ts";
import { revokeKey } from "../../src/domain/keys/keys.ts";
import { createFreshnessKey } from "../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../src/domain/manifests/signing-keys.ts";
import { Coverage, expectFileResponses } from "./coverage.ts";
import type { Operation } from "./documented.ts";
import { exceedLimits, sharedFixture } from "./fixture.ts";

const V2 = "/api/v2/database";
const UNKNOWN_BUILD_ID = "019a8f3e-7c52-7d10-9b1e-2f6a4c8d0e11";

const coverage = new Coverage("v2");
const fixture = sharedFixture();

function expectResponse(operation: Operation, query: string, expected: string, headers = {}) {
  return coverage.expect(fixture.service.apiUrl, operation, expected, { query, headers });
}

/** Uses the customer's key. */
function expectV2(endpoint: string, query: string, expected: string, headers = {}) {
  const authorization = `Bearer ${fixture.customer.key}`;
  return expectResponse(`GET ${V2}/${endpoint}`, query, expected, { authorization, ...headers });
}

describe("Responses of v2", () => {
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
    const freshness = "?id=vpn_ip_v1";
    await expectV2("freshness", freshness, "404 NOT_SIGNED");
    await createFreshnessKey(fixture.operator.operation(), { validDays: 365 });
    await fixture.operator.settle();
    await expectV2("freshness", freshness, "200");
    await expectV2("freshness", `${freshness}&part=signature`, "200");
    await expectV2("freshness", freshness, "304", { "if-none-match": "*" });
    await expectResponse(keys, "", "200");
  });

  test.for(["download", "checksum", "metadata", "manifest", "freshness"])(
    "match the document for errors of v2 %s",
    async (endpoint) => {
      const id = (id: string) => `?id=${id}&format=mmdb`;
      await expectResponse(`GET ${V2}/${endpoint}`, id("vpn_ip_v1"), "401 UNAUTHORIZED");
      await expectV2(endpoint, id("unlicensed_ip_v1"), "403 NOT_LICENSED");
      await expectV2(endpoint, id("expired_ip_v1"), "403 LICENSE_EXPIRED");
      await expectV2(endpoint, id("bound_ip_v1"), "403 TERMS_NOT_ACCEPTED");
      await expectV2(endpoint, id("no_ip_v1"), "404 UNKNOWN_DATASET");
      const build = `${id("vpn_ip_v1")}&build=${UNKNOWN_BUILD_ID}`;
      if (endpoint !== "freshness") await expectV2(endpoint, build, "404 UNKNOWN_BUILD");
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
    await expectV2("changes", "?id=bound_ip_v1", "403 TERMS_NOT_ACCEPTED");
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
    await exceedLimits(fixture, async (expected) => {
      await expectV2("changes", `${pair}&rows=1`, expected);
    });
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

  test("match the document for limits", async () => {
    const query = "?id=vpn_ip_v1&format=mmdb";
    await expectResponse(`GET ${V2}/limits`, "", "401 UNAUTHORIZED");
    await expectV2("download", query, "302");
    await exceedLimits(fixture, async (expected) => {
      await expectV2("limits", "", "200");
      await expectV2("download", `${query}&delivery=stream`, expected);
    });
  });

  test("match the document for rate-limited requests", () => coverage.callTooOften());

  test("cover every response in the document", () => coverage.expectComplete());
});
