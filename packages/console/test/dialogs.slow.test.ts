import { afterAll, beforeAll, describe, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { DESKTOP, type Visitor, visit } from "./browser.ts";
import { openPage } from "./console-page.ts";
import { DIALOGS } from "./dialog-pages.ts";
import { startExampleDepot } from "./example-data.ts";
import { checkDialog } from "./layout-pages.ts";

describe("every dialog", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  const visitors = new Map<string, Visitor>();
  beforeAll(async () => {
    depot = await startExampleDepot();
  });
  afterAll(async () => {
    for (const { close } of visitors.values()) await close();
    await depot?.dispose();
  });

  for (const dialog of DIALOGS) {
    it(`${dialog.name} hides nothing and has no axe violations at any width`, async () => {
      const { as } = dialog;
      const visitor = visitors.get(as) ?? (await visit(depot.url, { cookie: depot.cookies[as] }));
      visitors.set(as, visitor);
      const { page } = visitor;
      await page.setViewportSize(DESKTOP);
      await openPage(page, dialog);
      await checkDialog(page);
    });
  }
});
