import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { violationsOn } from "./accessibility.ts";
import { type Visitor, visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

const PHONE = { width: 390, height: 844 };

describe("the shell", needs("Chromium"), () => {
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

  it("groups the pages of operators, and prints pages without the navigation", async () => {
    const { page, close } = await visitAs("operator");
    await page.goto("/console/settings");
    const navigation = page.getByRole("navigation");
    const pages = (group: string) => navigation.getByRole("list", { name: group }).getByRole("link").allInnerTexts();
    await navigation.getByText("Administration").waitFor();
    expect(await pages("Catalogue")).toEqual(["Catalogue", "Terms"]);
    expect(await pages("Activity")).toEqual(["History", "Usage", "Explain a download", "Audit log"]);
    await page.emulateMedia({ media: "print" });
    await navigation.waitFor({ state: "hidden" });
    expect((await page.getByRole("main").boundingBox())?.x).toBe(0);
    await page.emulateMedia({ media: "screen" });
    await navigation.waitFor();
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
      const rows = page.getByRole("row").filter({ has: page.locator("time") });
      await rows.filter({ hasText: "typo_v1" }).waitFor();
      expect(await rows.count()).toBe(1);
      expect(problems).toEqual([]);
      await close();
    });

    it("acts: creates, rotates, grants and publishes, switches the theme and signs out", async () => {
      const operator = await visitAs("operator");
      const { page } = operator;
      const dialog = page.getByRole("dialog");
      const runs = async (visitor: Visitor, text: string, option: RegExp, title: string) => {
        await visitor.page.keyboard.press("Control+K");
        await visitor.page.getByRole("combobox", { name: "Jump to" }).fill(text);
        await visitor.page.getByRole("option", { name: option }).click();
        const opened = visitor.page.getByRole("dialog", { name: title });
        await opened.waitFor();
        await visitor.page.keyboard.press("Escape");
        await opened.waitFor({ state: "detached" });
      };
      await page.goto("/console/settings");
      await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
      await runs(operator, "add organization", /^Add an organization/, "Add an organization");
      await runs(operator, "publish proxy", /^Publish a build of Proxy IP/, "Publish a build of proxy_ip_v1");
      await runs(operator, "grant licensed", /^Grant a licence to Demo Licensed/, "Grant a licence to Demo Licensed");
      await runs(operator, "invite", /^Invite someone/, "Invite someone");
      await runs(operator, "rotate nightly", /^Rotate nightly job/, "Rotate nightly job");
      // It is not opened again.
      await page.reload();
      await page.getByRole("cell", { name: /^nightly job/ }).waitFor();
      expect(await dialog.count()).toBe(0);
      await page.keyboard.press("Control+K");
      await page.getByRole("combobox", { name: "Jump to" }).fill("dark");
      await page.getByRole("option", { name: /^Switch to the dark theme/ }).click();
      await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
      await operator.close();

      const admin = await visitAs("admin");
      await admin.page.goto("/console/keys");
      await admin.page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
      await runs(admin, "new key", /^Create a key/, "Create a key");
      await runs(admin, "rotate nightly", /^Rotate nightly job/, "Rotate nightly job");
      await admin.close();

      const leaving = await visit(depot.url, { cookie: await depot.signedIn("liv@example.net", "operator_viewer") });
      await leaving.page.goto("/console/settings");
      await leaving.page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();
      await leaving.page.keyboard.press("Control+K");
      await leaving.page.getByRole("combobox", { name: "Jump to" }).fill("sign out");
      await leaving.page.getByRole("option", { name: /^Sign out/ }).click();
      await leaving.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      await leaving.close();
    });

    it("can be used with arrow keys and shows customers only what is theirs", async () => {
      const { page, problems, close } = await visitAs("admin");
      await page.goto("/console/databases");
      const button = page.getByRole("button", { name: "Jump to…" });
      await button.click();
      const options = page.getByRole("option");
      await options.first().waitFor();
      const actions = ["Create a key", "Create a webhook", "Create a destination", "Invite someone"];
      const themes = ["Switch to the light theme", "Switch to the dark theme"];
      for (const name of [...actions, ...themes, "Sign out"]) await page.getByRole("option", { name }).waitFor();
      // The person's own account is not in the navigation.
      expect(await options.count()).toBe((await page.locator("nav li").count()) + 1 + 7);
      expect(await violationsOn(page)).toEqual([]);
      await page.keyboard.type("i");
      // Results that arrive later would move the selection. Pages are found at once, keys and databases are loaded.
      for (const kind of [/API key$/, /Database$/]) await options.filter({ hasText: kind }).first().waitFor();
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

  it("asks before it discards what was typed, whether a dialog is closed, its page is left or a form is", async () => {
    const { page, problems, close } = await visitAs("admin");
    const question = page.getByRole("dialog", { name: "Discard what you entered?" });
    await page.goto("/console/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    const form = page.getByRole("dialog", { name: "Create a key" });
    const name = form.getByLabel("Name");
    await name.fill("typed");
    await page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Keep editing" }).and(page.locator(":focus")).press("Enter");
    await question.waitFor({ state: "detached" });
    await page.mouse.click(5, 5);
    await question.press("Escape");
    await question.waitFor({ state: "detached" });
    await page.keyboard.press("Control+K");
    await page.getByRole("combobox", { name: "Jump to" }).fill("usage");
    await page.getByRole("option", { name: "Usage" }).and(page.locator("[aria-selected=true]")).press("Enter");
    await question.getByRole("button", { name: "Keep editing" }).click();
    expect(await name.inputValue()).toBe("typed");
    await name.fill("");
    await page.keyboard.press("Escape");
    await form.waitFor({ state: "detached" });

    await page.goto("/console/account");
    await page.getByLabel("Name", { exact: true }).fill("Countess");
    await page.getByRole("link", { name: "Databases" }).click();
    await question.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("recognizes a plain CSV among the files of a build", async () => {
    const { page, problems, close } = await visitAs("operator");
    await page.goto("/console/catalogue/proxy_ip");
    await page.getByRole("button", { name: "Publish a build" }).first().click();
    const dialog = page.getByRole("dialog", { name: /^Publish a build/ });
    const csv = { name: "networks.csv", mimeType: "text/csv", buffer: Buffer.from("network,proxy\n") };
    await dialog.locator("input[type=file][multiple]").setInputFiles([csv]);
    await dialog.getByRole("button", { name: "CSV file" }).getByText("networks.csv").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
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
