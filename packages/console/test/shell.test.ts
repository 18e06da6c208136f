import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violationsOn } from "./accessibility.ts";
import { hasBrowser, type Visitor, visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

const PHONE = { width: 390, height: 844 };

describe.skipIf(!hasBrowser)("the shell", () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  beforeAll(async () => {
    depot = await startExampleDepot();
  });
  afterAll(() => depot?.dispose());

  const visitAs = (person: keyof typeof depot.cookies) => visit(depot.url, { cookie: depot.cookies[person] });

  it("tells people whom to ask about pages that their role may not use, without showing any of it", async () => {
    const { page, problems, close } = await visitAs("evaluator");
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.goto("/console/keys");
    await page.getByText("Only admins of Demo Evaluation can use this page").waitFor();
    await page.goto("/console/organizations/Demo%20Licensed");
    await page.getByText("Only the operators of this service can use this page").waitFor();
    expect(await page.getByRole("heading").allInnerTexts()).toEqual(["Not available to you"]);
    expect(new Set(requests.filter((each) => each.startsWith("/api/")))).toEqual(new Set(["/api/console/session"]));
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("keeps the navigation next to a page that does not exist", async () => {
    const { page, close } = await visitAs("operator");
    await page.goto("/console/nowhere/at/all");
    await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("navigation").getByRole("link", { name: "History" }).waitFor();
    await page.goto("/console/databases");
    await page.getByText("Only customers can use this page").waitFor();
    await close();
  });

  describe("Ctrl+K", () => {
    /** Types a text, and opens the result that it leads to. */
    async function jump({ page }: Visitor, text: string, option: string | RegExp): Promise<void> {
      await page.keyboard.press("Control+K");
      const input = page.getByRole("combobox", { name: "Jump to" });
      await input.fill(text);
      await page.getByRole("option", { name: option }).and(page.locator("[aria-selected=true]")).waitFor();
      await input.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }

    it("leads operators to organizations, keys, databases, pages and requests", async () => {
      const visitor = await visitAs("operator");
      const { page, problems, close } = visitor;
      await page.goto("/console/settings");
      await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
      await jump(visitor, "licensed", /^Demo Licensed/);
      await page.getByRole("heading", { level: 1, name: "Demo Licensed" }).waitFor();
      const [attempt] = await depot.running.service.services.store.attempts.list({ outcome: "unknown", limit: 1 });
      const key = await depot.running.service.services.store.keys.byId(attempt?.keyId ?? "");
      await jump(visitor, `${key?.prefix}_and_a_secret`, /^nightly job/);
      await page.getByRole("cell", { name: /^nightly job/ }).waitFor();
      await jump(visitor, "proxy", /^Proxy IP/);
      await page.getByRole("heading", { level: 1, name: "Proxy IP" }).waitFor();
      await jump(visitor, attempt?.id ?? "", /^0/);
      const rows = page.getByRole("listitem").filter({ has: page.locator("time") });
      await rows.filter({ hasText: "typo_v1" }).waitFor();
      expect(await rows.count()).toBe(1);
      expect(problems).toEqual([]);
      await close();
    });

    it("can be used with arrow keys and shows customers only what is theirs", async () => {
      const { page, problems, close } = await visitAs("admin");
      await page.goto("/console/databases");
      const button = page.getByRole("button", { name: "Jump to…" });
      await button.click();
      const options = page.getByRole("option");
      await options.first().waitFor();
      expect(await options.count()).toBe((await page.locator("nav li").count()) + 1);
      expect(await violationsOn(page)).toEqual([]);
      await page.keyboard.type("e");
      // Results that arrive later would move the selection.
      await page.waitForLoadState("networkidle");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      await options.last().and(page.locator("[aria-selected=true]")).waitFor();
      await page.keyboard.type("valuation");
      await page.getByText("Nothing found.").waitFor();
      await page.keyboard.press("Escape");
      await button.and(page.locator(":focus")).waitFor();
      expect(problems).toEqual([]);
      await close();
    });
  });

  it("returns the focus to what opened a dialog, also from a menu", async () => {
    const { page, close } = await visitAs("admin");
    await page.goto("/console/keys");
    for (const opener of ["Create key", "Actions for nightly job"]) {
      await page.getByRole("button", { name: opener }).press("Enter");
      if (opener.startsWith("Actions")) await page.getByRole("menuitem", { name: "Revoke" }).press("Enter");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("button", { name: opener }).and(page.locator(":focus")).waitFor();
    }
    await close();
  });

  it("keeps the menus of builds within reach on a phone", async () => {
    const { page, close } = await visitAs("operator");
    await page.setViewportSize(PHONE);
    await page.goto("/console/catalogue/proxy_ip");
    const menu = page.getByRole("button", { name: /^Actions for the build/ }).first();
    await menu.waitFor();
    const { x = 0, width = 0 } = (await menu.boundingBox()) ?? {};
    expect(x + width).toBeLessThan(PHONE.width);
    await menu.click();
    await page.getByRole("menuitem", { name: "Details and checksums" }).click();
    await page.getByRole("dialog").getByText("SHA-512").first().waitFor();
    await close();
  });
});
