import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";
import { addManyAttempts } from "./many-attempts.ts";

const MANY = 100_000;

describe("a history of 100,000 attempts", needs("Chromium"), () => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await startDepot();
    await addManyAttempts(depot, MANY);
  });
  afterAll(() => depot?.dispose());

  it("can be scrolled to its end and back, with few rows in the page all the time", async () => {
    const cookie = await depot.signedIn("ada@example.com", "admin", ORGANIZATION);
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console/history?days=365");
    const rows = page.getByRole("region", { name: "Download attempts" }).locator("tbody tr[role=row]");
    await rows.first().waitFor();
    const loaded = async () => Number(await page.getByRole("table").last().getAttribute("aria-rowcount")) - 1;
    for (let before = await loaded(); before < MANY; before = await loaded()) {
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
      await expect.poll(loaded).toBeGreaterThan(before);
      expect(await rows.count()).toBeLessThan(60);
    }
    expect(await loaded()).toBe(MANY);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await expect.poll(() => rows.last().getAttribute("aria-rowindex")).toBe(String(MANY + 1));
    await page.evaluate("scrollTo(0, 0)");
    await expect.poll(() => rows.first().getAttribute("aria-rowindex")).toBe("2");
    expect(problems).toEqual([]);
    await close();
  });
});
