import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { DESKTOP, hasBrowser, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

const PHONE = { width: 390, height: 844 };

describe.skipIf(!hasBrowser)("people", () => {
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
    await viewer.page.goto(link);
    await viewer.page.getByLabel("Your name").fill("Grace Hopper");
    await viewer.page.getByLabel("Password", { exact: true }).fill("too short");
    await viewer.page.getByRole("button", { name: "Create your account" }).click();
    await viewer.page.getByText("Use at least 12 characters").waitFor();
    await viewer.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await viewer.page.getByRole("button", { name: "Create your account" }).click();
    await viewer.page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    const pages = await viewer.page.getByRole("navigation").getByRole("listitem").allInnerTexts();
    expect(pages).toEqual(["Databases", "History", "Usage", "Licences", "Terms"]);

    await admin.page.reload();
    await row.getByText("Active").waitFor();
    await admin.page.getByRole("button", { name: "Actions for Grace Hopper" }).click();
    await admin.page.getByRole("menuitem", { name: "Disable" }).click();
    await admin.page.getByRole("button", { name: "Disable account" }).click();
    await row.getByText("Disabled").waitFor();
    await viewer.page.getByRole("link", { name: "History" }).click();
    await viewer.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await admin.close();
    await viewer.close();
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
