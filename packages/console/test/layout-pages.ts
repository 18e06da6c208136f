import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { FINISH_TRANSITIONS, violationsOn } from "./accessibility.ts";
import { DESKTOP, type Visitor, visit } from "./browser.ts";
import { type ConsolePage, openPage } from "./console-page.ts";
import { startExampleDepot } from "./example-data.ts";

/** A script for the browser that returns what is wrong with the layout of the page. */
const LAYOUT_PROBLEMS = readFileSync(join(import.meta.dirname, "layout-problems.js"), "utf8");
const WIDTHS = [390, 820, 1024, 1440, 1920];

/** Tests that nothing is covered or cut off on the pages, in windows from a phone's to a large screen's. */
export function checkLayout(title: string, pages: readonly ConsolePage[], widths: readonly number[] = WIDTHS): void {
  describe(title, needs("Chromium"), () => {
    let depot: Awaited<ReturnType<typeof startExampleDepot>>;
    const visitors = new Map<string, Visitor>();
    beforeAll(async () => {
      depot = await startExampleDepot();
    });
    afterAll(async () => {
      for (const { close } of visitors.values()) await close();
      await depot?.dispose();
    });

    for (const consolePage of pages) {
      it(`${consolePage.name} hides no button, link or text at any width, and has no axe violations in narrow windows`, async () => {
        const { as } = consolePage;
        const visitor = visitors.get(as) ?? (await visit(depot.url, { cookie: depot.cookies[as] }));
        visitors.set(as, visitor);
        const { page } = visitor;
        await page.setViewportSize(DESKTOP);
        await openPage(page, consolePage);
        for (const width of widths) {
          await page.setViewportSize({ ...DESKTOP, width });
          // Tables measure their width, and render again.
          await expect.poll(() => layoutProblemsOn(page), { message: `${width} pixels` }).toEqual([]);
          // Tables become cards, or get buttons for the columns that do not fit.
          if (width < 1000) expect(await violationsOn(page)).toEqual([]);
        }
      });
    }
  });
}

/** Tests that nothing in the open dialog is covered or cut off, and that it has no axe violations. */
export async function checkDialog(page: Page): Promise<void> {
  for (const width of [390, 820, DESKTOP.width]) {
    await page.setViewportSize({ ...DESKTOP, width });
    await expect.poll(() => layoutProblemsOn(page), { message: `${width} pixels` }).toEqual([]);
    expect(await violationsOn(page)).toEqual([]);
  }
}

/** Returns what is wrong with the layout of the page, or of its dialog. */
async function layoutProblemsOn(page: Page): Promise<string[]> {
  await page.evaluate(FINISH_TRANSITIONS);
  return page.evaluate(LAYOUT_PROBLEMS);
}
