import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { it } from "vitest";
import { DESKTOP, hasBrowser, visit } from "./browser.ts";
import { openPage } from "./console-page.ts";
import { startDepot } from "./depot.ts";
import { addExampleData } from "./example-data.ts";
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
  { variant: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

it("writes every page in light, dark and phone width", async () => {
  if (!hasBrowser) throw new Error("no browser to take screenshots with");
  const depot = await startDepot(PUBLIC_URLS);
  const cookies = await addExampleData(depot);
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  for (const consolePage of PAGES) {
    const { name, as } = consolePage;
    for (const { variant, colorScheme, viewport } of VARIANTS) {
      const { page, close } = await visit(depot.url, { cookie: cookies[as] });
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await openPage(page, consolePage);
      await page.waitForLoadState("networkidle");
      await page.screenshot({ path: join(FOLDER, `${name}-${variant}.png`), animations: "disabled" });
      await close();
    }
  }
  await depot.dispose();
});
