import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { call } from "../../../rigs/harness/service/customer.ts";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { DESKTOP, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";
import { checkDialog } from "./layout-pages.ts";

const PHONE = { width: 390, height: 844 };

describe("people", needs("Chromium"), () => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await startDepot();
  });
  afterAll(() => depot?.dispose());

  it("lets an admin invite a viewer, who sees fewer pages, and disable the account", async () => {
    const cookie = await depot.signedIn("admin@example.com", "admin", ORGANIZATION);
    const admin = await visit(depot.url, { cookie });
    await admin.page.goto("/console/team");
    await admin.page.getByRole("button", { name: "Invite" }).click();
    await admin.page.getByLabel("E-mail address").fill("grace@example.com");
    await admin.page.getByRole("button", { name: "Create invitation" }).click();
    const link = await admin.page.getByRole("dialog").locator("pre").innerText();
    await admin.page.setViewportSize(PHONE);
    const text = await admin.page.getByRole("dialog").locator("pre").boundingBox();
    const copy = await admin.page.getByRole("button", { name: "Copy the link" }).boundingBox();
    expect(copy?.x).toBeGreaterThanOrEqual((text?.x ?? 0) + (text?.width ?? 0));
    expect(copy?.x).toBeLessThan(PHONE.width - 24);
    await admin.page.setViewportSize(DESKTOP);
    await admin.page.getByRole("button", { name: "Done" }).click();
    const row = admin.page.getByRole("row").filter({ hasText: "grace@example.com" });
    await row.getByText("Invited").waitFor();

    const viewer = await visit(depot.url);
    const gone: string[] = [];
    viewer.page.on("response", (response) => response.status() === 410 && gone.push(response.url()));
    await viewer.page.goto(link);
    await viewer.page.getByLabel("Your name").fill("Grace Hopper");
    await viewer.page.getByLabel("Password", { exact: true }).fill("too short");
    await viewer.page.getByRole("button", { name: "Create your account" }).click();
    await viewer.page.getByText("Use at least 12 characters").waitFor();
    await viewer.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await viewer.page.getByRole("button", { name: "Create your account" }).click();
    await viewer.page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    const pages = await viewer.page.getByRole("navigation").getByRole("listitem").allInnerTexts();
    // A link that was accepted is not asked about again.
    expect(gone).toEqual([]);
    expect(pages).toEqual(["Databases", "History", "Usage", "Licences", "Terms"]);

    await admin.page.reload();
    await row.getByText("Active").waitFor();
    await admin.page.getByRole("button", { name: "Actions for Grace Hopper" }).click();
    await admin.page.getByRole("menuitem", { name: "Disable" }).click();
    await admin.page.getByRole("button", { name: "Disable account" }).click();
    await row.getByText("Disabled").waitFor();
    await viewer.page.getByRole("link", { name: "History" }).click();
    await viewer.page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await viewer.page.getByRole("link", { name: "Leave this page" }).click();
    await viewer.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await admin.close();
    await viewer.close();
  });

  it("asks to sign in again over a form whose session has ended, and sends the form", async () => {
    const cookie = await depot.signedIn("lin@example.com", "admin", ORGANIZATION);
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console/keys");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("typed before the session ended");
    const headers = { cookie: cookie ?? "", "sec-fetch-site": "same-origin" };
    await call(`${depot.url}/api/console/session`, { method: "DELETE", headers });
    await page.getByRole("button", { name: "Create key" }).last().click();
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password", { exact: true }).and(page.locator(":focus")).fill("wrong");
    await page.keyboard.press("Enter");
    await dialog.getByText("The e-mail address or the password is wrong.").waitFor();
    await checkDialog(page);
    await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "typed before the session ended is ready" }).waitFor();
    expect(problems).toEqual([]);

    await page.context().clearCookies();
    await page.goto("/console/usage");
    await page.getByText("If you were signed in, your session has ended.").waitFor();
    await close();
  });

  it("promises no mail and no provider that is not set up", async () => {
    const { page, close } = await visit(depot.url);
    await page.goto("/console/forgot-password");
    await page.getByText("This service sends no e-mail.").waitFor();
    expect(await page.getByRole("button", { name: "Send the link" }).count()).toBe(0);
    await page.goto("/console/sign-in");
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(await page.getByText(/provider/).count()).toBe(0);
    await close();
  });

  it("changes the password, ends other sessions and signs out", async () => {
    const cookie = await depot.signedIn("ada@example.com", "admin", ORGANIZATION);
    const elsewhere = await visit(depot.url, { cookie });
    const here = await visit(depot.url);
    await here.page.goto("/console");
    await here.page.getByLabel("E-mail address").fill("ada@example.com");
    await here.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await here.page.getByRole("button", { name: "Sign in" }).click();
    await here.page.getByRole("button", { name: /^Account menu/ }).click();
    await here.page.getByRole("menuitem", { name: "Your account" }).click();
    await here.page.setViewportSize(PHONE);
    const label = here.page.getByRole("button", { name: "End session" }).getByText("End session");
    expect(await label.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0);
    await here.page.setViewportSize(DESKTOP);
    await here.page.getByLabel("Current password").fill(PASSWORD);
    await here.page.getByLabel("New password").fill("another long password");
    await here.page.getByRole("button", { name: "Change password" }).click();
    await here.page.getByText("Your password has been changed.").waitFor();
    await here.page.getByRole("button", { name: "End session" }).waitFor({ state: "hidden" });
    await elsewhere.page.goto("/console/account");
    await elsewhere.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await here.page.getByRole("button", { name: /^Account menu/ }).click();
    await here.page.getByRole("menuitem", { name: "Sign out" }).click();
    await here.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(here.problems).toEqual([]);
    await here.close();
    await elsewhere.close();
  });
});
