import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { UnreliableProxy } from "../../../rigs/harness/servers/unreliable-proxy.ts";
import { violationsOn } from "./accessibility.ts";
import { visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

describe("a tab that stays open", needs("Chromium"), () => {
  let depot: Depot;
  let server: UnreliableProxy;
  let url: string;
  let cookie: string | undefined;
  beforeAll(async () => {
    depot = await startDepot();
    cookie = await depot.signedIn("ada@example.com", "admin", ORGANIZATION);
    server = new UnreliableProxy(new URL(depot.url));
    url = `http://127.0.0.1:${await server.listen()}`;
  });
  afterAll(async () => {
    server?.close();
    await depot?.dispose();
  });

  const displayOf = (element: Locator) =>
    element.evaluate((each) => Reflect.get(globalThis, "getComputedStyle")(each).display);

  it("keeps its page while the server is down, and opens the next one with its styles afterwards", async () => {
    const { page, problems, close } = await visit(url, { cookie });
    await page.goto("/console/databases");
    await page.getByRole("link", { name: /^Bogon IP/ }).waitFor();
    server.close();
    await page.getByRole("link", { name: "Licences" }).click();
    const notice = page.getByRole("alert").filter({ hasText: "dbdepot cannot be reached" });
    await notice.getByRole("button", { name: "Retry" }).click();
    // The notice stays, because the server is still down.
    await notice.getByRole("button", { name: "Retry" }).and(page.locator(":enabled")).waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Databases");
    await page.getByRole("link", { name: /^Bogon IP/ }).waitFor();
    expect(await violationsOn(page)).toEqual([]);

    await server.listen();
    await notice.getByRole("button", { name: "Retry" }).click();
    await page.getByRole("heading", { level: 1, name: "Licences" }).waitFor();
    const licences = page.getByRole("list", { name: "Licences" }).getByRole("listitem");
    expect(await displayOf(licences.first())).toBe("grid");
    expect(problems).toEqual([]);
    await close();
  });

  it("opens the next page with its styles if the server returned before the person clicked", async () => {
    const { page, close } = await visit(url, { cookie });
    await page.goto("/console/databases");
    await page.getByRole("link", { name: /^Bogon IP/ }).waitFor();
    server.close();
    await page.getByRole("link", { name: "History" }).hover();
    await page.getByRole("alert").filter({ hasText: "dbdepot cannot be reached" }).waitFor();
    await server.listen();
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
    expect(await displayOf(page.getByRole("search", { name: "Filters" }))).toBe("grid");
    await close();
  });

  it("offers to reload after an upgrade", async () => {
    const { page, close } = await visit(url, { cookie });
    await page.goto("/console/databases");
    await page.getByRole("link", { name: /^Bogon IP/ }).waitFor();
    // The new version has other files, and no longer those that this tab knows.
    await page.route("**/console/assets/**", (route) => route.fulfill({ status: 404 }));
    await page.route("**/console/", async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replace(/assets\/index-[^"]+\.js/, "assets/new.js"),
      });
    });
    await page.getByRole("link", { name: "Team" }).click();
    const notice = page.getByRole("alert").filter({ hasText: "A new version is available" });
    await notice.waitFor();
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Databases");
    await page.unroute("**/console/assets/**");
    await notice.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { level: 1, name: "Team" }).waitFor();
    await close();
  });
});
