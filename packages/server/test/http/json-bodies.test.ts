import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import type { Route } from "../../src/http/route.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { newAdmin } from "../routes/iam/admin.ts";
import { robotOf } from "../routes/operator/robot.ts";

const RUNS = 40;
const NO_SUCH_ID = "0193a000-0000-7000-8000-000000000000";
const ROUTES_WITH_JSON = ROUTES.filter(
  ({ body, isBodyRaw, isForm, scope }) => body && !isBodyRaw && !isForm && scope !== "account",
);

/** Values that JSON allows and programs do not expect. */
const HOSTILE = [
  "",
  "{",
  "\ufeff{}",
  "NaN",
  '{"a":1,}',
  "[".repeat(50_000),
  `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
  '{"__proto__":{"name":"x"}}',
  '{"constructor":{"prototype":{}}}',
  `{"name":${"9".repeat(5000)}}`,
  '{"name":-0,"name":1e999}',
  '{"name":"\\ud800\\u0000"}',
];

describe("A JSON body of any content", () => {
  const [stage] = stages() as [Stage];
  let test: TestService;
  let keys: { operator: string; customer: string };
  beforeAll(async () => {
    test = await testService(stage, { DBDEPOT_RATE_LIMIT: "off" });
    keys = {
      operator: (await robotOf(test)).key,
      customer: (await newAdmin(test, "Acme", { scopes: ["apikeys.manage", "db.download"] })).key,
    };
  });
  afterAll(() => test.dispose());

  it.each(ROUTES_WITH_JSON.map((route) => [`${route.method} ${route.url}`, route] as const))(
    "never makes %s fail, and returns 400 unless it is an object",
    async (_, route) => {
      const key = route.url.startsWith("/api/operator") ? keys.operator : keys.customer;
      await fc.assert(
        fc.asyncProperty(bodiesOf(route), async (body) => {
          const reply = await call(`${test.service.apiUrl}${route.url.replace(/:[a-z]+/g, NO_SUCH_ID)}`, {
            method: route.method,
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            body,
          });
          expect(reply.status, body).toBeLessThan(500);
          const isEmpty = body === "" || (route.isBodyOptional && body === "null");
          if (!isEmpty && !isObject(body)) expect(reply.status, body).toBe(400);
        }),
        { numRuns: RUNS, examples: HOSTILE.map((text): [string] => [text]) },
      );
      expect(test.logs()).not.toContain("unexpected error");
    },
  );
});

/** Random text, random JSON, and objects that have the fields of the route with random values. */
function bodiesOf({ body }: Route): fc.Arbitrary<string> {
  const fields = Object.keys((body as { properties?: object } | undefined)?.properties ?? {});
  const values = Object.fromEntries(fields.map((field) => [field, fc.jsonValue()]));
  const object = fc.record(values, { requiredKeys: [] }).map((value) => JSON.stringify(value));
  return fc.oneof(fc.string({ unit: "binary" }), fc.json(), object);
}

/** The service ignores a byte order mark, as RFC 8259 allows. */
function isObject(text: string): boolean {
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
