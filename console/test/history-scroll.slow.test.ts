import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { stages } from "../../server/test/stages.ts";
import { launchBrowser, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";
import { addManyAttempts, MANY } from "./many-attempts.ts";

const executablePath = inject("chromium");

describe.skipIf(!executablePath)("a history of 100,000 attempts", () => {
  let depot: Depot;
  let browser: Browser;
  beforeAll(async () => {
    const [stage] = stages();
    if (!stage) throw new Error("no stage to test on");
    depot = await startDepot(stage);
    await addManyAttempts(depot);
    browser = await launchBrowser(executablePath ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await depot?.dispose();
  });

  it("can be scrolled to its end and back, with few rows in the page all the time", async () => {
    const cookie = await depot.signedIn("ada@example.com", "admin", ORGANIZATION);
    const { page, problems, close } = await visit(browser, depot.url, { cookie });
    await page.goto("/console/history?days=365");
    const rows = page.getByRole("list", { name: "Download attempts" }).getByRole("listitem");
    await rows.first().waitFor();
    const loaded = async () => Number(await rows.last().getAttribute("aria-setsize"));
    for (let before = await loaded(); before < MANY; before = await loaded()) {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      await expect.poll(loaded).toBeGreaterThan(before);
      expect(await rows.count()).toBeLessThan(60);
    }
    expect(await loaded()).toBe(MANY);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await expect.poll(() => rows.last().getAttribute("aria-posinset")).toBe(String(MANY));
    await page.evaluate("scrollTo(0, 0)");
    await expect.poll(() => rows.first().getAttribute("aria-posinset")).toBe("1");
    expect(problems).toEqual([]);
    await close();
  });
});
