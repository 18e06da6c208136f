import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

const OTHER_ORGANIZATION = "Demo Evaluation";

describe("personal data and notifications", needs("Chromium"), () => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await startDepot();
  });
  afterAll(() => depot?.dispose());

  it("lets people choose their notifications, and unsubscribe with a link without signing in", async () => {
    const cookie = await depot.signedIn("choosy@example.com", "admin", ORGANIZATION);
    const admin = await visit(depot.url, { cookie });
    await admin.page.goto("/console/account");
    const keys = admin.page.getByRole("switch", { name: "API keys" });
    await keys.waitFor();
    expect(await admin.page.getByRole("switch", { name: "Access requests" }).count()).toBe(0);
    await keys.click({ force: true });
    await expect.poll(() => keys.isChecked()).toBe(false);
    await admin.page.reload();
    await keys.waitFor();
    expect(await keys.isChecked()).toBe(false);

    const reader = await visit(depot.url);
    const { accounts, notices } = depot.running.service.services.store;
    const account = await accounts.byEmail("choosy@example.com");
    const recipient = await notices.recipient(account?.id ?? "");
    await reader.page.goto(`/unsubscribe?token=${recipient?.token}`);
    await reader.page.getByRole("button", { name: "Stop notifications about Webhooks" }).click();
    await reader.page.getByText("You are no longer notified of: Webhooks.").waitFor();
    await reader.page.getByRole("button", { name: "Unsubscribe from all" }).click();
    await reader.page.getByText("You get no notifications by e-mail.").waitFor();
    expect(reader.problems).toEqual([]);
    await admin.page.reload();
    await keys.waitFor();
    expect(await admin.page.getByRole("switch", { checked: true }).count()).toBe(0);
    await admin.close();
    await reader.close();
  });

  it("lets an operator move a person to another organization, and delete the account", async () => {
    await depot.signedIn("bob@example.com", "viewer", ORGANIZATION);
    const cookie = await depot.signedIn("root@example.com", "operator");
    const operator = await visit(depot.url, { cookie });
    await operator.page.goto("/console/accounts");
    const row = operator.page.getByRole("row").filter({ hasText: "bob@example.com" });
    const choose = async (item: string) => {
      await operator.page.getByRole("button", { name: "Actions for bob@example.com" }).click();
      await operator.page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Move to another organization");
    await operator.page.getByLabel("New organization").fill("Nobody");
    await operator.page.getByRole("button", { name: "Move account" }).click();
    await operator.page.getByText('there is no organization "Nobody"').waitFor();
    await operator.page.getByLabel("New organization").fill(OTHER_ORGANIZATION);
    await operator.page.getByRole("button", { name: "Move account" }).click();
    await row.getByText(OTHER_ORGANIZATION).waitFor();
    await choose("Delete");
    await operator.page.getByRole("button", { name: "Delete account" }).click();
    await row.waitFor({ state: "detached" });
    await operator.close();
  });

  it("lets an operator export and erase a person, who can download their own data before", async () => {
    const person = await visit(depot.url, { cookie: await depot.signedIn("erin@example.com", "viewer", ORGANIZATION) });
    await person.page.goto("/console/account");
    const [own] = await Promise.all([
      person.page.waitForEvent("download"),
      person.page.getByRole("link", { name: "Download my data" }).click(),
    ]);
    expect(own.suggestedFilename()).toBe("my-data.json");

    const { page, close } = await visit(depot.url, { cookie: await depot.signedIn("oscar@example.com", "operator") });
    await page.goto("/console/accounts");
    const row = page.getByRole("row").filter({ hasText: "erin@example.com" });
    await row.getByRole("button", { name: "Actions for" }).click();
    const [exported] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "Export data" }).click(),
    ]);
    expect(exported.suggestedFilename()).toBe("personal-data.json");
    await row.getByRole("button", { name: "Actions for" }).click();
    await page.getByRole("menuitem", { name: "Erase person" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 session deleted").waitFor();
    await dialog.getByRole("button", { name: "Erase person" }).click();
    await page.getByText(/the person is now person-[0-9a-f]{16}/).waitFor();
    await row.waitFor({ state: "detached" });
    await person.page.reload();
    await person.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await person.close();

    // The warning is part of the question, which is asked once.
    await depot.signedIn("sole@example.com", "admin", OTHER_ORGANIZATION);
    await page.reload();
    await page.getByRole("button", { name: "Actions for sole@example.com" }).click();
    await page.getByRole("menuitem", { name: "Erase person" }).click();
    await dialog.getByText(/last admin/).waitFor();
    await dialog.getByRole("button", { name: "Erase person" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row").filter({ hasText: "sole@example.com" }).waitFor({ state: "detached" });
    await close();
  });
});
