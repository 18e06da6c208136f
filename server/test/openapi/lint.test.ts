import { createConfig, lintFromString } from "@redocly/openapi-core";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { CUSTOMER_ROUTES } from "../../src/http/routes.ts";

const document = openApiDocument(CUSTOMER_ROUTES);

test("Redocly's recommended rules find nothing, warnings included", async () => {
  expect(await redocly(document)).toEqual([]);
});

test("Spectral's recommended rules find nothing, warnings included", async () => {
  expect(await spectral(document)).toEqual([]);
});

// Linters that never complain would pass everything.
test("both linters do find what is wrong", async () => {
  const broken = structuredClone(document);
  const operation = broken.paths["/api/v2/database/list"]?.get;
  if (operation) operation.operationId = "getMetadata";
  expect(await redocly(broken)).not.toEqual([]);
  expect(await spectral(broken)).not.toEqual([]);
});

async function redocly(source: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(source), absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

async function spectral(source: object): Promise<string[]> {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[oas as RulesetDefinition, "recommended"]] });
  const problems = await linter.run(JSON.stringify(source));
  return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join("/")})`);
}
