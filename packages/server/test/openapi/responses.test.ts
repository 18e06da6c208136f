import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { personOf } from "../routes/console/person.ts";
import { Coverage, expectFileResponses } from "./coverage.ts";
import type { Operation } from "./documented.ts";
import { exceedLimits, PACKAGE, sharedFixture } from "./fixture.ts";

const V1 = "/api/v1/database";

const coverage = new Coverage("rest");
const fixture = sharedFixture();

function expectResponse(operation: Operation, query: string, expected: string, headers = {}) {
  return coverage.expect(fixture.service.apiUrl, operation, expected, { query, headers });
}

function expectV1(endpoint: string, query: string, expected: string, headers = {}) {
  return expectResponse(`GET ${V1}/${endpoint}`, `${query}&apikey=${fixture.uuid}`, expected, headers);
}

/** Uses the customer's key. */
function expectGeoip(operation: Operation, path: string, expected: string, headers = {}) {
  const authorization = `Bearer ${fixture.customer.key}`;
  return coverage.expect(fixture.service.apiUrl, operation, expected, { path, headers: { authorization, ...headers } });
}

describe("API responses", () => {
  test.for([
    ["/geoip/updates/metadata", "/geoip/updates/metadata?edition_id={id}"],
    ["/geoip/databases/{id}/download", "/geoip/databases/{id}/download?suffix=tar.gz"],
    ["/geoip/databases/{id}/update", "/geoip/databases/{id}/update?db_md5=x"],
  ] as const)("match the document for %s", async ([documented, template]) => {
    const operation: Operation = `GET ${documented}`;
    const expectFor = (id: string, expected: string, more = "", headers = {}) =>
      expectGeoip(operation, template.replace("{id}", id) + more, expected, headers);
    await expectFor("vpn_ip_v1", "200");
    await expectFor("vpn_ip_v1", "401 UNAUTHORIZED", "", { authorization: "Basic eDp4" });
    await expectFor("unlicensed_ip_v1", "403 NOT_LICENSED");
    await expectFor("expired_ip_v1", "403 LICENSE_EXPIRED");
    await expectFor("bound_ip_v1", "403 TERMS_NOT_ACCEPTED");
    await expectFor("no_ip_v1", "404 UNKNOWN_DATASET");
    await expectFor("soon_ip_v1", "503 NOT_AVAILABLE");
    await expectFor("hosting_provider_v1", "400 INVALID_FORMAT");
    if (documented.endsWith("/metadata")) {
      const many = Array.from({ length: 101 }, (_, i) => `&edition_id=a${i}`).join("");
      await expectFor("vpn_ip_v1", "400 INVALID_REQUEST", many);
    }
    if (documented.endsWith("/download")) await expectFor("vpn_ip_v1", "404 UNKNOWN_BUILD", "&date=20200101");
    if (documented.endsWith("/update")) {
      const path = `/geoip/databases/vpn_ip_v1/update?db_md5=${fixture.build.files.mmdb?.checksums.md5}`;
      await expectGeoip(operation, path, "304");
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

  test.for(["/openapi.json", "/docs", "/download/dbdepot-client.tgz", "/download/dbdepot-client.tgz.sha256"] as const)(
    "match the document for %s",
    async (path) => {
      const { headers } = await expectResponse(`GET ${path}`, "", "200");
      await expectResponse(`GET ${path}`, "", "304", { "if-none-match": headers.get("etag") });
    },
  );

  test("match the document for packages, which have the listed digest", async () => {
    const sha256 = hash("sha256", PACKAGE.body);
    const { json } = await expectResponse("GET /download/packages.json", "", "200");
    expect(json).toEqual({ packages: [{ name: PACKAGE.name, size: PACKAGE.body.length, sha256 }] });
    const get = (file: string, expected: string) =>
      coverage.expect(fixture.service.apiUrl, "GET /download/{file}", expected, { path: `/download/${file}` });
    const { text, headers } = await get(PACKAGE.name, "200");
    expect(text).toBe(PACKAGE.body.toString());
    expect(headers.get("repr-digest")).toBe(`sha-256=:${hash("sha256", PACKAGE.body, "base64")}:`);
    expect((await get(`${PACKAGE.name}.sha256`, "200")).text).toBe(`${sha256}  ${PACKAGE.name}\n`);
    await get("dbdepot_riscv64.deb", "404 NOT_FOUND");
    await get("..%2F..%2Fpackage.json", "404 NOT_FOUND");
  });

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
      return (await coverage.expect(apiUrl, operation, `${expected}`, options)).json;
    };
    const isJson = { body: "{}", headers: { "content-type": "application/json" } };
    for (const endpoint of ["device_authorization", "token", "revoke"]) {
      await sendForm(endpoint, {}, 415, isJson);
      await sendForm(endpoint, { client_id: "x".repeat(70_000) }, 413);
      await sendForm(endpoint, {}, 400);
    }
    await sendForm("revoke", { token: "unknown" }, 200);
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
  });

  test("match the document if the headers are too large", async () => {
    await expectResponse("GET /docs", "", "431 HEADERS_TOO_LARGE", { "x-large": "x".repeat(17_000) });
  });

  test("match the document for limits", async () => {
    const query = "?id=vpn_ip_v1&format=mmdb";
    await expectV1("download", query, "200");
    await exceedLimits(fixture, async (expected) => {
      await expectV1("download", query, expected);
      const path = "/geoip/databases/vpn_ip_v1";
      await expectGeoip("GET /geoip/databases/{id}/update", `${path}/update`, expected);
      await expectGeoip("GET /geoip/databases/{id}/download", `${path}/download?suffix=tar.gz`, expected);
    });
  });

  test("match the document for rate-limited requests", () => coverage.callTooOften());

  test("cover every response in the document", () => coverage.expectComplete());
});

function formOf(form: Record<string, string>): RequestInit {
  return { method: "POST", body: new URLSearchParams(form) };
}
