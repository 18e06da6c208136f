import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { call } from "../../../rigs/harness/service/customer.ts";
import { type Visitor, visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";

describe("organizations", needs("Chromium"), () => {
  let depot: Depot;
  let visitor: Visitor;
  let page: Page;
  beforeAll(async () => {
    depot = await startDepot();
    visitor = await visit(depot.url, { cookie: await depot.signedIn("olivia@example.net", "operator") });
    page = visitor.page;
  });
  afterAll(async () => {
    await visitor?.close();
    await depot?.dispose();
  });

  const licence = () => page.getByRole("list", { name: "Licences" }).getByRole("listitem");
  const statusOf = async (key: string) => {
    const url = `${depot.url}/api/v2/database/download?id=vpn_ip_v1&format=mmdb`;
    return (await call(url, { headers: { authorization: `Bearer ${key}` } })).status;
  };
  async function chooseForLicence(action: string): Promise<void> {
    await page.getByRole("button", { name: "Actions for the licence for VPN IP" }).click();
    await page.getByRole("menuitem", { name: action }).click();
  }

  it("adds one, after it has said that the name is taken", async () => {
    await page.goto("/console/organizations");
    await page.getByRole("button", { name: "Add organization" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Demo Licensed");
    await dialog.getByRole("button", { name: "Add organization" }).click();
    await dialog.getByText('An organization named "Demo Licensed" already exists.').waitFor();
    await dialog.getByLabel("Name").fill("Acme");
    await dialog.getByRole("button", { name: "Add organization" }).click();
    await page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    await page.getByText("No licences yet").waitFor();
  });

  let key: string;
  it("creates a key that is refused until a licence is granted", async () => {
    await page.getByRole("tab", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("firewall");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    key = await page.getByRole("dialog").locator("pre").innerText();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("cell", { name: /^firewall/ }).waitFor();
    expect(await statusOf(key)).toBe(403);

    await page.getByRole("tab", { name: "Licences" }).click();
    await page.getByRole("button", { name: "Grant a licence" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Database" }).fill("vpn");
    await page.getByRole("option", { name: "VPN IP (vpn_ip)" }).click();
    await dialog.getByLabel("Starts on").fill("2020-01-01");
    await dialog.getByLabel("Ends on").fill("2019-01-01");
    await dialog.getByRole("button", { name: "Grant licence" }).click();
    await dialog.getByText("The licence starts on Jan 1, 2020, so it has to end after that").waitFor();
    await dialog.getByLabel("Ends on").fill("2090-01-01");
    await dialog.getByRole("button", { name: "Grant licence" }).click();
    await licence().filter({ hasText: "VPN IP" }).getByText("Live").waitFor();
    expect(await statusOf(key)).toBe(302);
  });

  it("limits downloads and shows what is used of them, also to the customer and in why", async () => {
    await page.getByRole("tab", { name: "Limits" }).click();
    await page.getByText("No limits").waitFor();
    await page.getByRole("button", { name: "Change limits" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Downloads per day").fill("2");
    await dialog.getByLabel("Transfer per month").fill("1.5");
    await dialog.getByRole("button", { name: "Save" }).click();
    const limits = page.getByRole("list", { name: "Limits" });
    await limits.getByText("1 of 2").waitFor();
    await limits.getByText("of 1.50 GB").waitFor();
    expect([await statusOf(key), await statusOf(key)]).toEqual([302, 429]);
    await page.reload();
    await limits.getByText("2 of 2").waitFor();

    await page.getByRole("tab", { name: "History" }).click();
    const attempts = page.getByRole("region", { name: "Download attempts" }).locator("tbody tr[role=row]");
    await attempts.filter({ hasText: "Limit reached" }).first().getByRole("button").click();
    await page
      .getByRole("dialog")
      .getByRole("link", { name: /^Why was vpn_ip_v1 refused/ })
      .click();
    await page.getByText("A limit of the organization is used up").waitFor();
    await page.getByRole("link", { name: "Open the organization's limits" }).click();
    await page.getByRole("button", { name: "View as customer" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    await page.getByRole("link", { name: "History" }).click();
    await limits.getByText("2 of 2").waitFor();
    await page.getByRole("button", { name: "Leave the view" }).click();
    await page.getByRole("tab", { name: "Limits" }).click();

    await page.getByRole("button", { name: "Change limits" }).click();
    await dialog.getByLabel("Downloads per day").fill("");
    await dialog.getByLabel("Transfer per month").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("No limits").waitFor();
    expect(await statusOf(key)).toBe(302);
    await page.getByRole("tab", { name: "Licences" }).click();
  });

  it("ends a licence after a confirmation, and renews it", async () => {
    await chooseForLicence("End now");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await statusOf(key)).toBe(302);
    await chooseForLicence("End now");
    await page.getByRole("button", { name: "End licence" }).click();
    await licence().getByText("Ended").waitFor();
    expect(await statusOf(key)).toBe(403);
    await chooseForLicence("Renew or change dates");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Ends on").fill("2020-02-01");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("A renewal must end in the future").waitFor();
    await dialog.getByLabel("Ends on").fill("2091-02-01");
    await dialog.getByLabel("Contract renews on").fill("2091-02-01");
    await dialog.getByRole("button", { name: "Save" }).click();
    await licence().getByText("Live").waitFor();
    await licence().getByText("Renews").waitFor();
    expect(await statusOf(key)).toBe(302);
  });

  it("revokes its legacy keys, and shows its attempts with an explanation of each refusal", async () => {
    await depot.running.operator.legacyCustomer(["vpn_ip_v1"], "Acme");
    await page.getByRole("tab", { name: "Legacy keys" }).click();
    const legacyKey = page.getByRole("row").filter({ hasText: "vpn_ip_v1" });
    await legacyKey.getByText("Active").waitFor();
    await legacyKey.getByRole("button", { name: /^Revoke/ }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("No active legacy keys").waitFor();
    await page.getByRole("switch", { name: "Show revoked keys" }).check();
    await legacyKey.getByText("Revoked").waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    const attempts = page.getByRole("region", { name: "Download attempts" }).locator("tbody tr[role=row]");
    await attempts.filter({ hasText: "Granted" }).first().waitFor();
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "Licence ended" }).click();
    await expect.poll(() => attempts.filter({ hasText: "Granted" }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get("outcome")).toBe("expired");
    await attempts.filter({ hasText: "Licence ended" }).first().getByRole("button").click();
    await page
      .getByRole("dialog")
      .getByRole("link", { name: /^Why was vpn_ip_v1 refused/ })
      .click();
    await page.getByRole("heading", { name: "The download works" }).waitFor();
    // Back leads to the attempt, whose drawer is part of the address.
    await page.goBack();
    await page.getByRole("dialog", { name: "Download attempt" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("invites a member to it", async () => {
    await page.getByRole("tab", { name: "Members" }).click();
    await page.getByRole("button", { name: "Invite" }).click();
    // The first one has to manage the organization.
    expect(await page.getByRole("radio", { name: "Admin" }).isChecked()).toBe(true);
    await page.getByLabel("E-mail address").fill("wile@example.com");
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.getByRole("dialog", { name: "Invitation for wile@example.com" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row").filter({ hasText: "wile@example.com" }).getByText("Invited").waitFor();
    expect(await page.getByRole("row").count()).toBe(2);
  });

  it("archives it, which refuses its keys, hides it in the list, and can be undone", async () => {
    await page.getByRole("button", { name: "Actions for Acme" }).click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Archive organization" }).click();
    await page.getByText("This organization is archived").waitFor();
    expect(await statusOf(key)).toBe(401);
    await page.getByRole("link", { name: "Organizations" }).first().click();
    await page.getByRole("link", { name: "Demo Licensed" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Acme" }).count()).toBe(0);
    await page.getByRole("switch", { name: "Show archived organizations" }).check();
    await page.getByLabel("Search organizations").fill("acm");
    await page.reload();
    await page.getByRole("link", { name: "Acme" }).click();
    await page.getByRole("button", { name: "Actions for Acme" }).click();
    await page.getByRole("menuitem", { name: "Restore" }).click();
    await page.getByText("This organization is archived").waitFor({ state: "hidden" });
    expect(await statusOf(key)).toBe(302);
    expect(visitor.problems).toEqual([]);
  });

  it("shows no buttons that change something to an operator who may only read", async () => {
    const cookie = await depot.signedIn("rita@example.net", "operator_viewer");
    const reader = await visit(depot.url, { cookie });
    await reader.page.goto("/console/organizations");
    await reader.page.getByRole("link", { name: "Acme" }).click();
    await reader.page.getByRole("list", { name: "Licences" }).waitFor();
    for (const tab of ["Licences", "API keys", "Members"]) {
      await reader.page.getByRole("tab", { name: tab }).click();
      await reader.page
        .getByRole("tabpanel")
        .getByText(/VPN IP|firewall|wile/)
        .first()
        .waitFor();
      expect(await reader.page.getByRole("button", { name: /^(Actions|Grant|Create\b|Invite)/ }).count()).toBe(0);
    }
    await reader.close();
  });

  it("shows what a file would change, lists its faults, and imports it with the secrets to download", async () => {
    await page.goto("/console/organizations");
    await page.getByRole("link", { name: "Import" }).click();
    await page.getByRole("heading", { level: 1, name: "Import customers" }).waitFor();
    const header = "kind,organization,name,scopes,create";
    const choose = (...rows: string[]) =>
      page.locator("input[type=file]").setInputFiles({
        name: "customers.csv",
        mimeType: "text/csv",
        buffer: Buffer.from([header, ...rows].join("\n")),
      });
    await choose("organization,I-1,,,", "key,I-2,ci,nope,true");
    const faults = page.getByRole("alert").getByRole("listitem");
    await faults.getByText("line 2: name is missing").waitFor();
    expect(await faults.count()).toBe(3);
    await choose("organization,I-1,Initech,,", "key,I-1,ci,db.download,true");
    await page.getByRole("region", { name: "Changes" }).getByText("Key of Initech").waitFor();
    await page.getByRole("button", { name: "Import 2 changes" }).click();
    await page.getByText("The file has been imported: 2 changes.").waitFor();
    const href = (await page.getByRole("link", { name: "Download the secrets" }).getAttribute("href")) ?? "";
    const [secret] = JSON.parse(decodeURIComponent(href.slice(href.indexOf(",") + 1)));
    expect(await statusOf(secret.key)).toBe(403);

    await page.getByRole("link", { name: "Organizations" }).first().click();
    await page
      .getByRole("dialog", { name: "Leave without the secrets?" })
      .getByRole("button", { name: "Stay here" })
      .click();
    await page.getByRole("link", { name: "Download the secrets" }).click();
    await page.getByRole("link", { name: "Organizations" }).first().click();
    await page.getByPlaceholder("Search by name, id or external id").fill("I-1");
    await page.getByRole("link", { name: "Initech" }).click();
    await page.getByText("· I-1").waitFor();
  });
});
