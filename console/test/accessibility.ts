import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds on the page, one line per element. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 200)} ${any[0]?.message ?? ""}`),
  );
}
