import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, inject } from "vitest";
import type { Chromium } from "./chromium.ts";

export const DESKTOP = { width: 1440, height: 900 };

export interface Visitor {
  page: Page;
  /** Errors that the page caused or reported: exceptions, console errors and violations of the security policy. */
  problems: string[];
  close(): Promise<void>;
}

const contexts = new Map<string | symbol, BrowserContext>();
afterAll(async () => {
  for (const context of contexts.values()) await context.close();
});

interface VisitOptions {
  /** A session, such as `dbdepot_session=…`. */
  cookie?: string | undefined;
  /** The person's time zone, such as `Pacific/Auckland`. */
  timezoneId?: string;
}

/**
 * Opens a page for someone. Everyone keeps one browser, with its cache, for all pages of a test file. Those without a
 * session get a new browser.
 */
export async function visit(baseURL: string, { cookie, timezoneId }: VisitOptions = {}): Promise<Visitor> {
  const person = cookie ? `${cookie} ${timezoneId}` : Symbol("no session");
  const context = contexts.get(person) ?? (await newContext(baseURL, cookie, timezoneId));
  contexts.set(person, context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    // Expected refusals are reported too: a sign-in with a wrong password, or a build that is not published yet.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) problems.push(message.text());
  });
  return { page, problems, close: () => (cookie ? page.close() : context.close()) };
}

async function newContext(
  baseURL: string,
  cookie: string | undefined,
  timezoneId: string | undefined,
): Promise<BrowserContext> {
  // Animations would only delay the tests.
  const options = { baseURL, viewport: DESKTOP, reducedMotion: "reduce", ...(timezoneId && { timezoneId }) } as const;
  const context = await (await sharedBrowser()).newContext(options).catch(async () => {
    // A system that is short of memory may have ended the browser since the last file.
    worker.consoleTestBrowser = undefined;
    return (await sharedBrowser()).newContext(options);
  });
  if (cookie) {
    const [name = "", value = ""] = cookie.split("=");
    // Servers with a public https URL use a cookie for https only, which Chromium also sends to local servers.
    const secure = name.startsWith("__Host-");
    const url = secure ? baseURL.replace("http:", "https:") : baseURL;
    await context.addCookies([{ name, value, url, httpOnly: true, secure }]);
  }
  return context;
}

const worker = globalThis as { consoleTestBrowser?: Browser | undefined };

/**
 * The test files of a worker share a browser, which ends with the worker. It is global because modules are loaded again
 * for each file.
 */
async function sharedBrowser(): Promise<Browser> {
  if (!worker.consoleTestBrowser?.isConnected()) {
    const { path: executablePath, env } = inject("chromium") as Chromium;
    // Containers rarely allow Chromium's own sandbox, which is not needed for our server. Emulating a GPU costs a fifth more time.
    const args = ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--in-process-gpu"];
    worker.consoleTestBrowser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
  }
  return worker.consoleTestBrowser;
}
