import { expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { waitForContent } from "./console-page.ts";
import { startDepot } from "./depot.ts";
import { addManyRows } from "./many-rows.ts";

const ROWS = 10_000;

/**
 * Reports the main-thread time of each list with 10,000 rows, including the start of the console. It asserts what is
 * rendered, but no time.
 */
it("renders a few of 10,000 rows in every list", needs("Chromium"), async () => {
  const depot = await startDepot();
  const id = await addManyRows(depot, { customers: ROWS, keys: ROWS, families: 1000 });
  const cookie = await depot.signedIn("olivia@example.net", "operator");
  const pages = {
    "settings, without a list": "settings",
    accounts: "accounts",
    organizations: "organizations",
    "organizations by last download": "organizations?sort=-last_download",
    "organizations by next end": "organizations?sort=next_end",
    licences: "licences",
    catalogue: "catalogue",
    "legacy keys": "legacy-keys",
    keys: `organizations/${id}?tab=keys`,
    history: "history",
  };
  for (const [name, path] of Object.entries(pages)) {
    const { page, close } = await visit(depot.url, { cookie });
    // Fills the browser's cache.
    await page.goto(`/console/${path}`);
    await waitForContent(page);
    const session = await page.context().newCDPSession(page);
    // Counts the time that the thread ran, whatever else the machine does.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const measured = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return Object.fromEntries(metrics.map((metric) => [metric.name, metric.value]));
    };
    await page.goto(`/console/${path}`);
    await waitForContent(page);
    const { TaskDuration = 0, ScriptDuration = 0, Nodes = 0 } = await measured();
    const responses = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter((entry) => entry.name.includes("/api/operator/") || entry.name.includes("/api/console/accounts"))
        .map((entry) => `${new URL(entry.name).pathname} ${Math.round(entry.duration)} ms`),
    );
    process.stdout.write(
      `${name}: ${Math.round(TaskDuration * 1000)} ms of the main thread (${Math.round(ScriptDuration * 1000)} ms of scripts), ${Nodes} nodes; ${responses.join(", ")}\n`,
    );
    expect(await page.locator("tbody tr").count()).toBeLessThan(80);
    await close();
  }
  await depot.dispose();
});
