import { describe, test } from "vitest";
import { personOf } from "../routes/console/person.ts";
import { Coverage } from "./coverage.ts";
import { newWebhook, sharedFixture } from "./fixture.ts";

const WEBHOOKS = "/api/v2/webhooks";
const UNKNOWN = "019a8c11-04d2-7a3f-8e64-5b7f20c9d1aa";

const coverage = new Coverage("webhooks");
const fixture = sharedFixture();

/** Uses the customer's key, which also has the scope `apikeys.manage`. */
async function expectResponse(
  operation: string,
  expected: string,
  { ids = [UNKNOWN, UNKNOWN], query = "", body, headers = {} }: Request = {},
): Promise<void> {
  const [method, path = ""] = operation.split(" ");
  await coverage.expect(fixture.service.apiUrl, `${method} ${WEBHOOKS}${path}`, expected, {
    path: WEBHOOKS + path.replace("{id}", ids[0]).replace("{delivery}", ids[1]),
    query,
    headers: {
      authorization: `Bearer ${fixture.customer.key}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

interface Request {
  ids?: [string, string];
  query?: string;
  body?: object;
  headers?: Record<string, string>;
}

describe("Responses about webhooks", () => {
  test("match the document", async () => {
    const { WEBHOOK_ID, DELIVERY_ID } = await newWebhook(fixture);
    const ids: [string, string] = [WEBHOOK_ID, DELIVERY_ID];
    await expectResponse("POST ", "200", { body: { url: "https://hooks.example.invalid/" } });
    await expectResponse("GET ", "200");
    await expectResponse("GET /{id}", "200", { ids });
    await expectResponse("PATCH /{id}", "200", { ids, body: { event_types: null } });
    await expectResponse("POST /{id}/rotate", "200", { ids });
    await expectResponse("POST /{id}/test", "200", { ids });
    await expectResponse("POST /{id}/deliveries/{delivery}/redeliver", "200", { ids });
    await expectResponse("GET /{id}/deliveries/{delivery}", "200", { ids });
    await expectResponse("GET /{id}/deliveries", "200", { ids });
    await expectResponse("GET /{id}/deliveries", "200", { ids, query: "?limit=1" });
    await expectResponse("GET /{id}/deliveries", "400 INVALID_REQUEST", { ids, query: "?limit=none" });
    await expectResponse("DELETE /{id}", "204", { ids });
  });

  test("match the document for bodies that are refused", async () => {
    const url = "https://hooks.example.invalid/";
    for (const operation of ["POST ", "PATCH /{id}"]) {
      const { WEBHOOK_ID } = await newWebhook(fixture);
      const ids: [string, string] = [WEBHOOK_ID, UNKNOWN];
      await expectResponse(operation, "400 INVALID_REQUEST", { ids, body: { nonsense: true } });
      await expectResponse(operation, "400 INVALID_URL", { ids, body: { url: "https://10.0.0.1/" } });
      await expectResponse(operation, "413 TOO_LARGE", { ids, body: { url: "x".repeat(70_000) } });
      const headers = { "content-type": "text/plain" };
      await expectResponse(operation, "415 UNSUPPORTED_MEDIA_TYPE", { ids, body: { url }, headers });
    }
    for (let i = 0; i < 20; i += 1) await newWebhook(fixture).catch(() => {});
    await expectResponse("POST ", "409 TOO_MANY_WEBHOOKS", { body: { url } });
  });

  test("match the document for unknown webhooks, bad keys, other sites and too many requests", async () => {
    const { cookie = "" } = await personOf(fixture, "admin@example.com", "admin", "Acme");
    const operations = new Set(
      coverage.documented.map((outcome) => outcome.split(" ").slice(0, 2).join(" ").replace(WEBHOOKS, "")),
    );
    for (const operation of operations) {
      const body = operation.startsWith("PATCH") ? { enabled: true } : undefined;
      const request = body ? { body } : {};
      if (operation.includes("{id}")) await expectResponse(operation, "404 NOT_FOUND", request);
      await expectResponse(operation, "401 UNAUTHORIZED", { headers: { authorization: "Bearer none" } });
      if (operation.startsWith("GET")) continue;
      const [method, path = ""] = operation.split(" ");
      await coverage.expect(fixture.service.apiUrl, `${method} ${WEBHOOKS}${path}`, "403 CROSS_ORIGIN", {
        path: WEBHOOKS + path.replace(/\{\w+\}/g, UNKNOWN),
        headers: { cookie, "sec-fetch-site": "cross-site" },
      });
    }
    await coverage.callTooOften();
  });

  test("cover every response in the document", () => coverage.expectComplete());
});
