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
    it(`${name} has a heading, no axe violations in either theme, and causes no errors`, async () => {
      for (const colorScheme of ["light", "dark"] as const) {
        const options = { cookie: cookies[as], colorScheme, reducedMotion: "reduce" } as const;
        const { page, problems, close } = await visit(browser, depot.url, options);
        await page.goto(path);
        await page.getByRole("heading", { level: 1, name: heading }).waitFor();
        await prepare?.(page);
        expect(await violationsOn(page)).toEqual([]);
        expect(problems).toEqual([]);
        await close();
      }
    });

    it(`${name} fits a phone that is 360 px wide`, async () => {
      const options = { cookie: cookies[as], viewport: { width: 360, height: 740 } };
      const { page, close } = await visit(browser, depot.url, options);
      await page.goto(path);
      await page.getByRole("heading", { level: 1, name: heading }).waitFor();
      await prepare?.(page);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      await close();
    });
  }
});
