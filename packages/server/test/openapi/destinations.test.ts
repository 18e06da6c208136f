import { describe, test } from "vitest";
import { allowDestinations } from "../../src/domain/destinations/destinations.ts";
import { personOf } from "../routes/console/person.ts";
import { Coverage } from "./coverage.ts";
import { newDestination, sharedFixture } from "./fixture.ts";

const DESTINATIONS = "/api/v2/destinations";
const UNKNOWN = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";

const coverage = new Coverage("destinations");
const fixture = sharedFixture();

interface Request {
  id?: string;
  query?: string;
  body?: object;
  headers?: Record<string, string>;
}

async function expectResponse(
  operation: string,
  expected: string,
  { id = UNKNOWN, query = "", body, headers = {} }: Request = {},
): Promise<void> {
  const [method, path = ""] = operation.split(" ");
  await coverage.expect(fixture.service.apiUrl, `${method} ${DESTINATIONS}${path}`, expected, {
    path: DESTINATIONS + path.replace("{id}", id),
    query,
    headers: {
      authorization: `Bearer ${fixture.customer.key}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const valid = (prefix: string) => ({ bucket: "acme-data", prefix, region: "eu-west-1", access: "vendor" });

describe("Responses about destinations", () => {
  test("match the document", async () => {
    const { DESTINATION_ID: id } = await newDestination(fixture);
    await expectResponse("POST ", "200", { body: valid("mine") });
    await expectResponse("GET ", "200");
    await expectResponse("GET /{id}", "200", { id });
    await expectResponse("PATCH /{id}", "200", { id, body: { access: "vendor", endpoint: null, keep: 3 } });
    await expectResponse("GET /{id}/deliveries", "200", { id });
    await expectResponse("GET /{id}/deliveries", "200", { id, query: "?limit=1" });
    await expectResponse("GET /{id}/deliveries", "400 INVALID_REQUEST", { id, query: "?limit=none" });
    await expectResponse("DELETE /{id}", "204", { id });
    const { DESTINATION_ID: tested } = await newDestination(fixture);
    await expectResponse("POST /{id}/test", "200", { id: tested });
  });

  test("match the document for bodies that are refused", async () => {
    const { DESTINATION_ID: id } = await newDestination(fixture);
    for (const operation of ["POST ", "PATCH /{id}"]) {
      const endpoint = "https://10.0.0.1/";
      await expectResponse(operation, "400 INVALID_REQUEST", { id, body: { nonsense: true } });
      await expectResponse(operation, "400 INVALID_URL", { id, body: { ...valid("a"), endpoint } });
      await expectResponse(operation, "409 CONFLICT", { id, body: { ...valid("mine"), endpoint: null } });
      const keys = { access: "keys", access_key_id: "id", secret_access_key: "secret" };
      await expectResponse(operation, "409 WAY_NOT_AVAILABLE", {
        id,
        body: { ...valid("b"), ...keys, endpoint: null },
      });
      await expectResponse(operation, "413 TOO_LARGE", {
        id,
        body: { ...valid("c"), description: "x".repeat(70_000) },
      });
      const headers = { "content-type": "text/plain" };
      await expectResponse(operation, "415 UNSUPPORTED_MEDIA_TYPE", { id, body: valid("d"), headers });
    }
    for (let i = 0; i < 5; i += 1) await newDestination(fixture).catch(() => {});
    await expectResponse("POST ", "409 TOO_MANY_DESTINATIONS", { body: valid("e") });
    const { operator, customer } = fixture;
    await allowDestinations(operator.operation(), async () => ({ id: customer.organizationId }), false);
    await expectResponse("POST ", "403 DELIVERIES_NOT_ALLOWED", { body: valid("f") });
  });

  test("match the document for unknown destinations, bad keys, other sites and too many requests", async () => {
    const { cookie = "" } = await personOf(fixture, "admin@example.com", "admin", "Acme");
    const operations = new Set(
      coverage.documented.map((outcome) => outcome.split(" ").slice(0, 2).join(" ").replace(DESTINATIONS, "")),
    );
    for (const operation of operations) {
      const request = operation.startsWith("PATCH") ? { body: { enabled: true } } : {};
      if (operation.includes("{id}")) await expectResponse(operation, "404 NOT_FOUND", request);
      await expectResponse(operation, "401 UNAUTHORIZED", { headers: { authorization: "Bearer none" } });
      if (operation.startsWith("GET")) continue;
      const [method, path = ""] = operation.split(" ");
      await coverage.expect(fixture.service.apiUrl, `${method} ${DESTINATIONS}${path}`, "403 CROSS_ORIGIN", {
        path: DESTINATIONS + path.replace("{id}", UNKNOWN),
        headers: { cookie, "sec-fetch-site": "cross-site" },
      });
    }
    await coverage.callTooOften();
  });

  test("cover every response in the document", () => coverage.expectComplete());
});
