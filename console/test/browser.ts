import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { inject } from "vitest";

/** Tests that need a browser are skipped without one. */
export const hasBrowser = inject("chromium") !== null;

export interface Visitor {
  page: Page;
  /** Errors that the page caused or reported: exceptions, console errors and violations of the security policy. */
  problems: string[];
  close(): Promise<void>;
}

/** Someone with a browser of their own. `cookie` is a session, such as `dbdepot_session=…`. */
export async function visit(
  baseURL: string,
  { cookie, ...options }: BrowserContextOptions & { cookie?: string | undefined } = {},
): Promise<Visitor> {
  const browser = await sharedBrowser();
  // Animations would only delay the tests.
  const defaults = { baseURL, viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" } as const;
  const context = await browser.newContext({ ...defaults, ...options });
  if (cookie) {
    const [name = "", value = ""] = cookie.split("=");
    await context.addCookies([{ name, value, url: baseURL, httpOnly: true }]);
  }
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // Expected refusals are reported too: a sign-in with a wrong password, or a build that is not published yet.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) problems.push(message.text());
  });
  return { page, problems, close: () => context.close() };
}

const worker = globalThis as { consoleTestBrowser?: Browser };

/**
 * The test files of a worker share a browser, which ends with the worker. It is global because modules are loaded again
 * for each file.
 */
async function sharedBrowser(): Promise<Browser> {
  if (!worker.consoleTestBrowser?.isConnected()) {
    const executablePath = inject("chromium") ?? "";
    // Containers rarely allow Chromium's own sandbox. It only visits our server.
    worker.consoleTestBrowser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  }
  return worker.consoleTestBrowser;
}
