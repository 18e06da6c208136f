import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { DOCUMENTED_ROUTES } from "../../src/http/routes.ts";

const document = openApiDocument(DOCUMENTED_ROUTES);

test("Redocly finds no errors or warnings with its recommended rules", async () => {
  expect(await redocly(document)).toEqual([]);
});

test("Spectral finds no errors or warnings with its recommended rules", async () => {
  expect(await spectral(document)).toEqual([]);
});

// Guards against a configuration that disables all rules.
test("both linters report a duplicate operationId", async () => {
  const broken = structuredClone(document);
  const operation = broken.paths["/api/v2/database/list"]?.get;
  if (operation) operation.operationId = "databaseMetadataV2";
  expect(await redocly(broken)).not.toEqual([]);
  expect(await spectral(broken)).not.toEqual([]);
});

async function redocly(source: object): Promise<string[]> {
  // Sign-in with OpenID Connect only redirects. Spectral's equivalent rule accepts redirects.
  const config = await createConfig({ extends: ["recommended"], rules: { "operation-2xx-response": "off" } });
  const problems = await lintFromString({ source: JSON.stringify(source), absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

async function spectral(source: object): Promise<string[]> {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, "recommended"]] });
  const problems = await linter.run(JSON.stringify(source));
  return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join("/")})`);
}
