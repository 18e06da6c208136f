import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { inject, it } from "vitest";
import { DESKTOP, visit } from "./browser.ts";
import { openPage, waitForContent } from "./console-page.ts";
import { startDepot } from "./depot.ts";
import { DIALOGS } from "./dialog-pages.ts";
import { addExampleData } from "./example-data.ts";
import { IDENTITY } from "./example-destination.ts";
import { PAGES } from "./pages.ts";

const FOLDER = join(import.meta.dirname, "../screenshots");
/** The addresses on the pages, instead of a random port. */
const PUBLIC_URLS = {
  DBDEPOT_PUBLIC_URL: "https://depot.example.com",
  DBDEPOT_OBJECTS_PUBLIC_URL: "https://files.example.com",
};
const VARIANTS = [
  { variant: "light", colorScheme: "light", viewport: DESKTOP },
  { variant: "dark", colorScheme: "dark", viewport: DESKTOP },
  { variant: "tablet", colorScheme: "light", viewport: { width: 820, height: 1180 } },
  { variant: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

it("writes every page and dialog in light, dark, and the widths of a tablet and a phone", async () => {
  if (!inject("chromium")) throw new Error("no browser to take screenshots with");
  const depot = await startDepot({ ...PUBLIC_URLS, ...IDENTITY });
  const cookies = await addExampleData(depot);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const consolePage of [...PAGES, ...DIALOGS]) {
    const { name, as } = consolePage;
    const { page, close } = await visit(depot.url, { cookie: cookies[as] });
    await page.setViewportSize(DESKTOP);
    await openPage(page, consolePage);
    await waitForContent(page);
    for (const { variant, colorScheme, viewport } of VARIANTS) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      await page.setViewportSize(viewport);
      await page.screenshot({ path: join(FOLDER, `${name}-${variant}.png`), animations: "disabled" });
    }
    await close();
  }
  await depot.dispose();
});
