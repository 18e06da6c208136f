import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Containers rarely allow Chromium's own sandbox. It only visits our server. */
export function launchBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

export interface Visitor {
  page: Page;
  /** Errors that the page caused or reported: exceptions, console errors and violations of the security policy. */
  problems: string[];
  close(): Promise<void>;
}

/** Someone with a browser of their own. `cookie` is a session, such as `dbdepot_session=…`. */
export async function visit(
  browser: Browser,
  baseURL: string,
  { cookie, ...options }: BrowserContextOptions & { cookie?: string | undefined } = {},
): Promise<Visitor> {
  const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 }, ...options });
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
