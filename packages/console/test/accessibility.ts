import axe from "axe-core";
import type { Page } from "playwright-core";

/** Finishes transitions, because tests would measure colours and places in between. */
export const FINISH_TRANSITIONS =
  "for (const each of document.getAnimations()) if (each instanceof CSSTransition) each.finish()";

/** Returns what axe-core finds on the page, one line per element. `rules` limits the check to these rules. */
export async function violationsOn(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  const results = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${help}: ${html.slice(0, 200)} ${any[0]?.message ?? ""}`),
  );
}
