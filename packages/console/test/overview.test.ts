import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe.skipIf(!hasBrowser)("overview and settings", () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  let cookie: string | undefined;
  beforeAll(async () => {
    depot = await startExampleDepot();
    ({ operator: cookie } = depot.cookies);
  });
  afterAll(() => depot?.dispose());

  it("shows operators what needs attention, and leads to the pages concerned", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.getByRole("region", { name: "Health" }).getByText("Reachable").nth(1).waitFor();
    await page.getByRole("region", { name: "Attempts by day" }).getByText("Granted").first().waitFor();
    const overdue = page.getByRole("region", { name: "Overdue builds" });
    expect(await overdue.getByRole("link", { name: /^proxy_ip_v1/ }).getAttribute("href")).toBe(
      "/console/catalogue/proxy_ip",
    );
    await page
      .getByRole("region", { name: "Keys that are refused" })
      .getByRole("link", { name: /nightly job/ })
      .click();
    await page.getByRole("heading", { level: 1, name: "Demo Licensed" }).waitFor();
    await page.getByRole("cell", { name: /^nightly job/ }).waitFor();
    await page.goBack();
    await page
      .getByRole("region", { name: "Evaluations" })
      .getByRole("link", { name: /Demo Evaluation/ })
      .click();
    await page.getByRole("heading", { level: 1, name: "Demo Evaluation" }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("shows the settings with their sources", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/settings");
    const setting = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await setting("DBDEPOT_LINK_TTL_SECONDS").getByText("900").waitFor();
    await setting("DBDEPOT_LINK_TTL_SECONDS").getByText("Default").waitFor();
    await setting("DBDEPOT_RATE_LIMIT").getByText("Environment").waitFor();
    await page.getByLabel("Search settings").fill("evaluation licence");
    await expect.poll(() => page.getByRole("list", { name: "Settings" }).getByRole("listitem").count()).toBe(1);
    const events = page.getByRole("region", { name: "Retention" }).getByRole("row").filter({ hasText: "Events" });
    await events.getByText("Events are deleted after 30 days.").waitFor();
    await close();
  });
});
