import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { stages } from "../../server/test/stages.ts";
import { violationsOn } from "./accessibility.ts";
import { launchBrowser, visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";
import { addExampleData } from "./example-data.ts";
import { PAGES } from "./pages.ts";

const executablePath = inject("chromium");

describe.skipIf(!executablePath)("every page", () => {
  let depot: Depot;
  let browser: Browser;
  let cookies: Awaited<ReturnType<typeof addExampleData>>;
  beforeAll(async () => {
    const [stage] = stages();
    if (!stage) throw new Error("no stage to test on");
    depot = await startDepot(stage);
    cookies = await addExampleData(depot);
    browser = await launchBrowser(executablePath ?? "");
  });
  afterAll(async () => {
    await browser?.close();
    await depot?.dispose();
  });

  for (const { name, path, as, heading, prepare } of PAGES) {
    it(`${name} has a heading, no axe violations in either theme, fits a phone and causes no errors`, async () => {
      const options = { cookie: cookies[as], colorScheme: "light", reducedMotion: "reduce" } as const;
      const { page, problems, close } = await visit(browser, depot.url, options);
      await page.goto(path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await prepare?.(page);
      expect(await violationsOn(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
      expect(await violationsOn(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      expect(problems).toEqual([]);
      await close();
    });
  }
});
