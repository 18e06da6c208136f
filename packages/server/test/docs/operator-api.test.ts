import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { CONSOLE_ROUTES } from "../../src/http/console/routes.ts";
import { OPERATOR_ROUTES } from "../../src/http/operator/routes.ts";

it("docs/operate/operator-api.md describes every endpoint and no others", () => {
  const page = readFileSync(new URL("../../../../docs/operate/operator-api.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.includes("/api/operator/") && line.startsWith("| "));
  // The description starts with the summary and ends with a further sentence.
  expect(rows.map((row) => row.replace(/\. [^|]+\. \|$/, " |"))).toEqual(
    OPERATOR_ROUTES.map(({ method, url, scope, summary }) => `| \`${method} ${url}\` | \`${scope}\` | ${summary} |`),
  );
});

it("docs/operate/accounts.md lists every endpoint about people and no others", () => {
  const page = readFileSync(new URL("../../../../docs/operate/accounts.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `") && line.includes("/api/console/"));
  expect(rows).toEqual(
    CONSOLE_ROUTES.map((route) => {
      const who = route.scope === "account" ? route.roles.join(", ") : "everyone";
      return `| \`${route.method} ${route.url}\` | ${who} | ${route.summary} |`;
    }),
  );
});
