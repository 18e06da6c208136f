import { ERRORS } from "@dbdepot/contract/shared/errors";
import { EVENT_TYPES } from "@dbdepot/contract/v2/events";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { NOTES, openApiDocument } from "../../src/http/openapi/document.ts";
import {
  type MediaType,
  type Operation,
  type Parameter,
  type Response,
  resolve,
} from "../../src/http/openapi/model.ts";
import { NamedSchemas } from "../../src/http/openapi/schemas.ts";
import { DOCUMENTED_ROUTES } from "../../src/http/routes.ts";
import { schemaErrors } from "./schema-errors.ts";

const document = openApiDocument(DOCUMENTED_ROUTES);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

describe("OpenAPI document", () => {
  const table = DOCUMENTED_ROUTES.map(({ method, url }) => `${method} ${url}`);

  test("describes every route except HEAD", () => {
    const documented = operations.map(({ name }) => name.replace(/\{([a-z]+)\}/g, ":$1"));
    expect(documented.sort()).toEqual(table.toSorted());
  });

  test("has notes for every route but those of the console, and no others", () => {
    expect([...NOTES.keys()].sort()).toEqual(table.filter((name) => !name.includes(" /api/console/")).toSorted());
  });

  test("has the operation ids that published clients are generated from", () => {
    const ids = Object.fromEntries(operations.map(({ name, operation }) => [name, operation.operationId]));
    expect(ids).toMatchObject({
      "GET /api/v2/database/list": "listDatabases",
      "GET /api/v2/database/download": "downloadDatabaseV2",
      "GET /api/v2/database/metadata": "databaseMetadataV2",
      "GET /api/v2/database/checksum": "databaseChecksumV2",
      "GET /api/v2/database/downloads": "listDownloads",
      "GET /api/v1/database/download": "databaseDownload",
      "GET /api/v1/database/checksum": "databaseChecksum",
      "GET /api/v1/database/metadata": "databaseMetadata",
      "POST /api/v1/iam/apikeys": "accountCreateApikey",
      "GET /api/v1/iam/apikeys": "accountListApikeys",
      "POST /api/v1/iam/apikeys/{id}/rotate": "accountRotateApikey",
      "POST /api/v1/iam/apikeys/{id}/revoke": "accountRevokeApikey",
      "GET /api/v1/iam/identity": "accountIdentity",
      "GET /api/v1/iam/org": "accountOrg",
      "GET /.well-known/oauth-authorization-server": "oauthMetadata",
      "POST /oauth/device_authorization": "oauthDeviceAuthorization",
      "GET /oauth/authorize": "oauthAuthorize",
      "POST /oauth/token": "oauthToken",
      "POST /oauth/revoke": "oauthRevoke",
    });
    expect(new Set(Object.values(ids)).size).toBe(operations.length);
  });

  test("describes every type of event that webhooks receive", () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_TYPES]);
  });

  test("cannot be created for a route without notes", () => {
    const [route] = DOCUMENTED_ROUTES;
    if (!route) throw new Error("no routes");
    expect(() => openApiDocument([{ ...route, url: "/new" }])).toThrow("GET /new has no notes");
  });

  for (const { method, url, errors = [], scope, body } of DOCUMENTED_ROUTES) {
    test(`lists the error codes of ${method} ${url} under their status`, () => {
      const path = document.paths[url.replace(/:([a-z]+)/g, "{$1}")];
      const operation = path?.[method.toLowerCase() as "get"];
      const common = [
        "HEADERS_TOO_LARGE",
        "INTERNAL",
        ...(body ? ["REQUEST_TIMEOUT"] : []),
        ...(scope === "public" ? [] : ["RATE_LIMITED", "NOT_AVAILABLE"]),
      ];
      const expected = new Set([...errors, ...common].map(withStatus));
      expect(operation && codesOf(operation).toSorted()).toEqual([...expected].sort());
    });
  }
});

describe("Documented requests", () => {
  const find = (id: string) => operations.find(({ operation }) => operation.operationId === id)?.operation;

  test("accept keys in three ways on v2, as a bearer token for key creation, as apikey on v1, and none for pages", () => {
    const keys = [{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }];
    expect(find("listDatabases")?.security).toEqual([...keys, { session: [] }]);
    expect(find("accountIdentity")?.security).toEqual(keys);
    expect(find("accountCreateApikey")?.security).toEqual([{ bearer: [] }, { session: [] }]);
    expect(find("databaseMetadata")?.security).toEqual([{ legacyKey: [] }]);
    expect(find("getDocs")?.security).toEqual([]);
  });

  test("accept only sessions on the console's endpoints, and nothing to sign in", () => {
    expect(find("getConsoleSessions")?.security).toEqual([{ session: [] }]);
    expect(find("getConsoleAccounts")?.description).toContain("Roles: `operator`, `admin`, `operator_viewer`.");
    expect(find("postConsoleSession")?.security).toEqual([]);
  });

  test("name the required scope in the description", () => {
    expect(find("listDatabases")?.description).toContain("Requires a key with the scope `db.download`.");
  });

  test("list parameters with their location and whether they are required", () => {
    const parameters = find("downloadDatabaseV2")?.parameters?.map((reference) =>
      resolve<Parameter>(document, reference),
    );
    expect(parameters?.map((parameter) => [parameter.in, parameter.name, parameter.required])).toEqual([
      ["query", "id", true],
      ["query", "format", true],
      ["query", "sample", false],
      ["query", "build", false],
      ["query", "from", false],
      ["query", "delivery", false],
      ["header", "Range", false],
      ["header", "If-Range", false],
      ["header", "If-None-Match", false],
    ]);
  });
});

describe("Documented examples", () => {
  for (const { name, operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      testExamples(`${name} ${status}`, resolve<Response>(document, response).content);
    }
    testExamples(`${name} request`, operation.requestBody?.content);
    for (const reference of operation.parameters ?? []) {
      const { name: parameter, schema } = resolve<Parameter>(document, reference);
      test.for(schema.examples ?? [])(`match the schema of ${name} ${parameter}: %s`, (example) => {
        expect(schemaErrors(document, schema, example)).toEqual([]);
      });
    }
  }
  for (const [type, { post }] of Object.entries(document.webhooks)) testExamples(type, post.requestBody?.content);
  test.for(Object.entries(document.components.headers))("match the schema of the header %s", ([, { schema }]) => {
    expect(schema.examples).toHaveLength(1);
    expect(schemaErrors(document, schema, schema.examples?.[0])).toEqual([]);
  });
});

test("NamedSchemas refuses two different schemas with the same title", () => {
  const schemas = new NamedSchemas();
  schemas.write(Type.String({ title: "Name" }));
  schemas.write(Type.String({ title: "Name" }));
  expect(() => schemas.write(Type.Integer({ title: "Name" }))).toThrow("two schemas have the title Name");
});

function testExamples(name: string, content: Record<string, MediaType> = {}): void {
  for (const [type, { schema, examples }] of Object.entries(content)) {
    if (!schema) continue;
    test(`match the schema of ${name} ${type}`, () => {
      const values = Object.values(examples ?? {});
      expect(values).not.toEqual([]);
      for (const { value } of values) expect(schemaErrors(document, schema, value)).toEqual([]);
    });
  }
}

function codesOf({ responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    const examples = resolve<Response>(document, response).content?.["application/json"]?.examples ?? {};
    return Object.keys(examples)
      .filter((code) => code in ERRORS)
      .map((code) => `${status} ${code}`);
  });
}

function withStatus(code: string): string {
  return `${ERRORS[code as keyof typeof ERRORS].status} ${code}`;
}
