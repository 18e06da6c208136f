import { readFile } from "node:fs/promises";
import { ERRORS } from "@dbdepot/contract/shared/errors";
import { expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { DOCUMENTED_ROUTES } from "../../src/http/routes.ts";

function docs(name: string): Promise<string> {
  return readFile(new URL(`../../../../docs/customers/${name}`, import.meta.url), "utf8");
}

test("docs/customers/errors.md lists every error code with its meaning", async () => {
  const rows = (await docs("errors.md")).split("\n").filter((line) => /^\| \d/.test(line));
  const expected = Object.entries(ERRORS)
    .sort(([a, { status: first }], [b, { status: second }]) => first - second || (a < b ? -1 : 1))
    .map(([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`);
  expect(rows).toEqual(expected);
});

test("docs/customers/api.md contains the API guide word for word", async () => {
  expect(await docs("api.md")).toContain(openApiDocument(DOCUMENTED_ROUTES).info.description);
});
