import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";

it("docs/operate/monitoring.md lists every metric with its help text", async () => {
  const [stage] = stages();
  const test = await testService(stage as NonNullable<typeof stage>);
  const metrics = await test.service.services.metrics.registry.getMetricsAsJSON();
  await test.dispose();
  const page = readFileSync(new URL("../../../../docs/operate/monitoring.md", import.meta.url), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `dbdepot_"));
  const expected = metrics.map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`);
  expect(rows, "Add the rows to the table in docs/operate/monitoring.md, in this order").toEqual(expected);
});
