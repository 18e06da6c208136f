import { ERRORS } from "@dbdepot/contract/errors";
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
import { CUSTOMER_ROUTES } from "../../src/http/routes.ts";
import { faultsOf } from "./judge.ts";

const document = openApiDocument(CUSTOMER_ROUTES);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

describe("the routes and the document", () => {
  const table = CUSTOMER_ROUTES.map(({ method, url }) => `${method} ${url}`);

  test("name the same addresses, HEAD left out", () => {
    const documented = operations.map(({ name }) => name.replace(/\{([a-z]+)\}/g, ":$1"));
    expect(documented.sort()).toEqual(table.toSorted());
  });

  test("leave no notes over", () => {
    expect([...NOTES.keys()].sort()).toEqual(table.toSorted());
  });

  test("a route without notes is not passed over", () => {
    const [route] = CUSTOMER_ROUTES;
    if (!route) throw new Error("there are no routes");
    expect(() => openApiDocument([{ ...route, url: "/new" }])).toThrow("GET /new has no notes");
  });

  for (const { method, url, errors, scope } of CUSTOMER_ROUTES) {
    test(`${method} ${url} lists its codes, each under its status`, () => {
      const path = document.paths[url.replace(/:([a-z]+)/g, "{$1}")];
      const operation = path?.[method.toLowerCase() as "get"];
      const common = [
        "HEADERS_TOO_LARGE",
        "INTERNAL",
        ...(scope === "public" ? [] : ["RATE_LIMITED", "NOT_AVAILABLE"]),
      ];
      const expected = new Set([...errors, ...common].map(withStatus));
      expect(operation && codesOf(operation).toSorted()).toEqual([...expected].sort());
    });
  }
});

describe("what a request needs", () => {
  const find = (id: string) => operations.find(({ operation }) => operation.operationId === id)?.operation;

  test("v2 takes a key in any of three ways, key creation in one, v1 takes its own, the page takes none", () => {
    expect(find("listDatabases")?.security).toEqual([{ bearer: [] }, { apiKeyHeader: [] }, { apiKeyQuery: [] }]);
    expect(find("createKey")?.security).toEqual([{ bearer: [] }]);
    expect(find("getLegacyMetadata")?.security).toEqual([{ legacyKey: [] }]);
    expect(find("getDocs")?.security).toEqual([]);
  });

  test("the scope stands in the text", () => {
    expect(find("listDatabases")?.description).toContain("Requires a key with the scope `db.download`.");
  });

  test("parameters come with their place and whether they are required", () => {
    const parameters = find("downloadDatabase")?.parameters?.map((given) => resolve<Parameter>(document, given));
    expect(parameters?.map((parameter) => [parameter.in, parameter.name, parameter.required])).toEqual([
      ["query", "id", true],
      ["query", "format", true],
      ["query", "build", false],
      ["query", "delivery", false],
      ["header", "Range", false],
      ["header", "If-Range", false],
      ["header", "If-None-Match", false],
    ]);
  });
});

describe("the examples fit their schemas", () => {
  for (const { name, operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      testExamples(`${name} ${status}`, resolve<Response>(document, response).content);
    }
    testExamples(`${name} request`, operation.requestBody?.content);
    for (const given of operation.parameters ?? []) {
      const { name: parameter, schema } = resolve<Parameter>(document, given);
      test.for(schema.examples ?? [])(`${name} ${parameter}=%s`, (example) => {
        expect(faultsOf(document, schema, example)).toEqual([]);
      });
    }
  }
  test.for(Object.entries(document.components.headers))("header %s", ([, { schema }]) => {
    expect(schema.examples).toHaveLength(1);
    expect(faultsOf(document, schema, schema.examples?.[0])).toEqual([]);
  });
});

test("two schemas cannot share a title", () => {
  const schemas = new NamedSchemas();
  schemas.write(Type.String({ title: "Name" }));
  schemas.write(Type.String({ title: "Name" }));
  expect(() => schemas.write(Type.Integer({ title: "Name" }))).toThrow("two schemas have the title Name");
});

function testExamples(name: string, content: Record<string, MediaType> = {}): void {
  for (const [type, { schema, examples }] of Object.entries(content)) {
    if (!schema) continue;
    test(`${name} ${type}`, () => {
      const values = Object.values(examples ?? {});
      expect(values).not.toEqual([]);
      for (const { value } of values) expect(faultsOf(document, schema, value)).toEqual([]);
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
