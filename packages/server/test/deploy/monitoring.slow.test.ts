import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { collectDefaultMetrics, Registry } from "@prometheus-io/client";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { testService } from "../../../../rigs/harness/service/test-service.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const rules = read("deploy/prometheus/alerts.yaml");
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map((match) => match[1] ?? "");

/** The names of all time series that a server exposes. */
async function exposedSeries(): Promise<string[]> {
  const [stage] = stages();
  const test = await testService(stage as NonNullable<typeof stage>);
  const { registry } = test.service.services.metrics;
  const defaults = new Registry();
  collectDefaultMetrics({ register: defaults });
  const metrics = await Registry.merge([registry, defaults]).getMetricsAsJSON();
  await test.dispose();
  return metrics.flatMap(({ name, type }) =>
    String(type) === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}

/** The metrics that PromQL expressions read. */
function metricsIn(text: string): string[] {
  return [...text.matchAll(/\b(?:dbdepot|process|nodejs)_\w+/g)].map(([name]) => name);
}

describe("deploy/prometheus", needs("promtool"), () => {
  it.each([
    ["check", "alerts.yaml"],
    ["test", "alerts.test.yaml"],
  ])("passes promtool %s rules", (command, file) => {
    const cwd = join(ROOT, "deploy/prometheus");
    const { status, stdout, stderr } = spawnSync("promtool", [command, "rules", file], { cwd, encoding: "utf8" });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});

describe("deploy/prometheus/alerts.yaml", () => {
  it("has a unit test for every alert, in alerts.test.yaml", () => {
    const tested = [...read("deploy/prometheus/alerts.test.yaml").matchAll(/- alertname: (\w+)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(tested)).toEqual(new Set(alerts));
  });

  it("links every alert to its section of the runbook, and the runbook has no others", () => {
    const links = [...rules.matchAll(/runbook: (\S+)/g)].map((match) => match[1]);
    expect(links).toEqual(alerts.map((alert) => `docs/operate/runbook.md#${alert.toLowerCase()}`));
    const sections = read("docs/operate/runbook.md").split(/^## /m).slice(1);
    const titles = sections.map((section) => section.split("\n")[0]);
    expect(titles, "docs/operate/runbook.md needs a section for each alert, in the same order").toEqual(alerts);
    for (const section of sections) {
      // The tests of the pages run the commands in these blocks.
      for (const part of ["**Meaning.**", "**Confirm.**", "```sh\n", "**Do.**"]) expect(section).toContain(part);
    }
  });
});

describe.each(["deploy/prometheus/alerts.yaml", "deploy/grafana/dashboard.json"])("%s", (path) => {
  it("uses only metrics that the server exposes", async () => {
    const used = metricsIn(read(path));
    expect(used).toContain("dbdepot_storage_up");
    const exposed = await exposedSeries();
    expect(
      used.filter((name) => !exposed.includes(name)),
      `${path} uses metrics that the server does not expose`,
    ).toEqual([]);
  });
});

it("docs/operate/monitoring.md documents no metric that is neither in the dashboard nor in an alert", () => {
  const documented = [...read("docs/operate/monitoring.md").matchAll(/^\| `(dbdepot_\w+)`/gm)].map(
    ([, name = ""]) => name,
  );
  expect(documented.length).toBeGreaterThan(40);
  const used = new Set(
    [...metricsIn(rules), ...metricsIn(read("deploy/grafana/dashboard.json"))].map((name) =>
      name.replace(/_(bucket|sum|count)$/, ""),
    ),
  );
  expect(
    documented.filter((name) => !used.has(name)),
    "Add a panel to deploy/grafana/dashboard.json for each of these metrics, or an alert to deploy/prometheus/alerts.yaml. " +
      "dashboard.slow.test.ts queries each panel: make its load do what the metric counts",
  ).toEqual([]);
});
