import type { Page } from "playwright-core";
import { expect } from "vitest";

/** A page in the state that people should look at. */
export interface ConsolePage {
  name: string;
  path: string;
  as: "visitor" | "admin" | "evaluator" | "operator";
  heading: string;
  /** Text that appears once the page has loaded. */
  shows?: string;
  /** Further steps that lead there, such as opening a dialog. */
  prepare?: (page: Page) => Promise<unknown>;
}

export async function openPage(page: Page, { path, heading, shows, prepare }: ConsolePage): Promise<void> {
  await page.goto(path);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
  if (shows) await page.getByText(shows).first().waitFor();
  await prepare?.(page);
}

/** Waits until the page has a heading and shows no placeholder any more. */
export async function waitForContent(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  const placeholders = page.locator("[aria-busy=true], [aria-label=Loading], .mantine-Skeleton-root");
  await expect.poll(() => placeholders.count()).toBe(0);
}
