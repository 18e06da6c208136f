import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { OPERATOR_ROUTES } from "../../src/http/operator/routes.ts";

it("docs/operate/operator-api.md describes every endpoint and no others", () => {
  const page = readFileSync(new URL("../../../docs/operate/operator-api.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.includes("/api/operator/") && line.startsWith("| "));
  // The description starts with the summary and ends with a further sentence.
  expect(rows.map((row) => row.replace(/\. [^|]+\. \|$/, " |"))).toEqual(
    OPERATOR_ROUTES.map(({ method, url, scope, summary }) => `| \`${method} ${url}\` | \`${scope}\` | ${summary} |`),
  );
});
