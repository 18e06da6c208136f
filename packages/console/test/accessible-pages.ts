import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violationsOn } from "./accessibility.ts";
import { DESKTOP, hasBrowser, type Visitor, visit } from "./browser.ts";
import { openPage } from "./console-page.ts";
import { startExampleDepot } from "./example-data.ts";
import { PAGES } from "./pages.ts";

const PHONE = { width: 360, height: 740 };
/**
 * One page of each layout: forms, lists, tables, charts, tabs, dialogs and drawers. The others use the same components.
 */
const LAYOUTS = [
  "sign-in",
  "databases",
  "database",
  "database-checksums",
  "keys",
  "keys-create",
  "webhooks-deliveries",
  "webhooks-delivery",
  "requests",
  "history",
  "history-attempt",
  "licences",
  "organization-licences",
  "overview",
  "why-refused",
  "catalogue-publish-ready",
];
/** Those that `npm test` covers, too. */
const QUICK = ["database", "keys-create", "history", "overview"];
/** Finishes transitions, because axe would measure colours in between. */
const FINISH_TRANSITIONS =
  "for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()";

/** Tests the pages of the console in both themes, and on a phone if `LAYOUTS` lists them. */
export function checkPages(title: string, isTested: (isQuick: boolean) => boolean): void {
  describe.skipIf(!hasBrowser)(title, () => {
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
      const fits = LAYOUTS.includes(name) ? ", fits a phone" : "";
      it(`${name} has a heading, no axe violations in either theme${fits} and causes no errors`, async () => {
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
        if (fits) {
          await page.setViewportSize(PHONE);
          await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(PHONE.width);
        }
        expect(problems.splice(0)).toEqual([]);
      });
    }
  });
}
