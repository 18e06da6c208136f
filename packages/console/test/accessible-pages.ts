import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { FINISH_TRANSITIONS, violationsOn } from "./accessibility.ts";
import { DESKTOP, type Visitor, visit } from "./browser.ts";
import { openPage } from "./console-page.ts";
import { startExampleDepot } from "./example-data.ts";
import { PAGES } from "./pages.ts";

/** Pages that `npm test` covers, too. */
const QUICK = ["database", "keys-create", "history", "overview"];

/** Tests the pages of the console in both themes. The tests of the layout do so in narrow windows. */
export function checkPages(title: string, isTested: (isQuick: boolean) => boolean): void {
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

    /** The browser of the person, which visits one page after the other. */
    async function visitorAs(person: keyof typeof depot.cookies): Promise<Visitor> {
      const visitor = visitors.get(person) ?? (await visit(depot.url, { cookie: depot.cookies[person] }));
      visitors.set(person, visitor);
      return visitor;
    }

    for (const consolePage of PAGES) {
      const { name, as } = consolePage;
      if (!isTested(QUICK.includes(name))) continue;
      it(`${name} has a heading, no axe violations in either theme and causes no errors`, async () => {
        const { page, problems } = await visitorAs(as);
        await page.setViewportSize(DESKTOP);
        await page.emulateMedia({ colorScheme: "light" });
        await openPage(page, consolePage);
        expect(await violationsOn(page)).toEqual([]);
        // Only colours depend on the theme.
        await page.emulateMedia({ colorScheme: "dark" });
        await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
        await page.evaluate(FINISH_TRANSITIONS);
        expect(await violationsOn(page, ["color-contrast"])).toEqual([]);
        expect(problems.splice(0)).toEqual([]);
      });
    }
  });
}
