import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe("licences", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  let evaluator: string | undefined;
  let operator: string | undefined;
  beforeAll(async () => {
    depot = await startExampleDepot();
    ({ evaluator, operator } = depot.cookies);
  });
  afterAll(() => depot?.dispose());

  it("shows every term in words, what comes next, and takes a request for access", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: evaluator });
    await page.goto("/console/databases");
    await page.getByRole("link", { name: "Licences" }).click();
    await page.getByRole("heading", { level: 1, name: "Licences" }).waitFor();

    const terms = page.getByRole("list", { name: "Licences" }).getByRole("listitem");
    const tor = terms.filter({ hasText: "Tor IP" });
    await tor.first().waitFor();
    expect(await tor.allInnerTexts()).toEqual([
      expect.stringMatching(/Internal use · .+ – .+\n+Requires Data licence agreement\n+Upcoming/),
      expect.stringMatching(/Evaluation · .+ – .+\n+Ended/),
    ]);
    expect(await terms.filter({ hasText: "Bogon IP" }).innerText()).toMatch(/– no\send\n+Renews .+, notice by /);
    const events = await page.getByText(/^(The (licence|contract) for|Last day)/).allInnerTexts();
    expect(events).toEqual([
      "The licence for VPN IP ends",
      "The licence for Tor IP starts",
      "Last day to cancel Bogon IP",
    ]);

    const providers = page.getByRole("listitem").filter({ hasText: "Hosting providers" });
    await providers.getByRole("button", { name: "Request access" }).click();
    const dialog = page.getByRole("dialog", { name: "Request access to Hosting providers" });
    await dialog.getByLabel("Message").fill("For our fraud team");
    await dialog.getByRole("button", { name: "Send request" }).click();
    await dialog.getByText("this service could not notify them by e-mail").waitFor();
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.reload();
    await providers.getByText(/^Requested on .+ by edith@example\.org\. Your vendor has not answered yet\.$/).waitFor();
    expect(await providers.getByRole("button").count()).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });

  it("are requested through an inbox, in which operators grant or decline", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: operator });
    await page.goto("/console/overview");
    const card = page.getByRole("region", { name: "Access requests" });
    await card.getByText("2", { exact: true }).waitFor();
    await card.getByRole("link", { name: "Access requests" }).click();
    const rows = page.getByRole("region", { name: "Access requests" }).getByRole("row");
    const wanted = rows.filter({ hasText: "hosting_provider" });
    for (const text of ["Demo Evaluation", "Pending", "For our fraud team"]) await wanted.getByText(text).waitFor();
    await wanted.getByRole("button", { name: /^Decline/ }).click();
    const decline = page.getByRole("dialog", { name: "Decline the request of Demo Evaluation" });
    await decline.getByRole("button", { name: "Decline request" }).click();
    await decline.getByText("Give a reason").waitFor();
    await decline.getByLabel("Reason").fill("Not in your country");
    await decline.getByRole("button", { name: "Decline request" }).click();
    await wanted.getByText("Declined").waitFor();

    const customer = await visit(depot.url, { cookie: evaluator });
    await customer.page.goto("/console/databases/hosting_provider");
    await customer.page.getByText(/^Declined on /).waitFor();
    await customer.page.getByText("“Not in your country”").waitFor();
    await customer.page.getByRole("button", { name: "Ask again" }).click();
    await customer.page.getByRole("dialog").getByRole("button", { name: "Send request" }).click();
    await customer.page.getByRole("button", { name: "Done" }).click();

    await page.reload();
    // The link of the e-mail to the operator opens the details.
    await wanted.first().getByRole("link").click();
    const details = page.getByRole("dialog", { name: "Access request" });
    await details.getByRole("link", { name: "edith@example.org" }).waitFor();
    await details.getByRole("button", { name: /^Grant hosting_provider/ }).click();
    const grant = page.getByRole("dialog", { name: "Grant a licence to Demo Evaluation" });
    await grant.getByText("edith@example.org asks for Hosting providers").waitFor();
    expect(await grant.getByLabel("Ends on").inputValue()).toMatch(/^20\d\d-\d\d-\d\d$/);
    await grant.getByLabel("Reply").fill("Welcome");
    await grant.getByRole("button", { name: "Grant licence" }).click();
    await page.getByText("The licence has been granted. No e-mail was sent").waitFor();
    await wanted.first().getByText("Granted").waitFor();

    await customer.page.reload();
    await customer.page.getByText("Licensed", { exact: true }).waitFor();
    await customer.page.goto("/console/licences");
    await customer.page.getByText(/^Granted on /).waitFor();
    await customer.page.getByText("“Welcome”").waitFor();
    expect([...problems, ...customer.problems]).toEqual([]);
    await customer.close();
    await close();
  });

  it.each([
    { timezoneId: "America/Los_Angeles", family: "Tor IP", base: "tor_ip" },
    { timezoneId: "Pacific/Auckland", family: "Hosting providers", base: "hosting_provider" },
  ])("shows contract dates as they were entered, and local times, in $timezoneId", async (example) => {
    const { timezoneId, family, base } = example;
    const { page, close } = await visit(depot.url, { cookie: depot.cookies.operator, timezoneId });
    await page.goto("/console/organizations/Demo%20Licensed");
    await page.getByRole("button", { name: "Grant a licence" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Database" }).fill(base);
    await page.getByRole("option", { name: `${family} (${base})` }).click();
    await dialog.getByLabel("Starts on").fill("2026-11-01");
    await dialog.getByLabel("Ends on").fill("2031-01-01");
    await dialog.getByLabel("Contract renews on").fill("2030-12-31");
    await dialog.getByRole("button", { name: "Grant licence" }).click();
    const licence = page
      .getByRole("list", { name: "Licences" })
      .getByRole("listitem")
      .filter({ hasText: "Jan 1, 2031" });
    await licence.filter({ hasText: family }).getByText("Nov 1, 2026 – Jan 1, 2031").waitFor();
    await licence.filter({ hasText: family }).getByText("Renews Dec 31, 2030").waitFor();
    await licence.getByRole("button", { name: `Actions for the licence for ${family}` }).click();
    await page.getByRole("menuitem", { name: "Renew or change dates" }).click();
    expect(await dialog.getByLabel("Ends on").inputValue()).toBe("2031-01-01");

    await page.goto("/console/history");
    await page.getByText("Days are in UTC.").waitFor();
    const time = page.getByRole("cell").locator("time").first();
    const created = (await time.getAttribute("datetime")) ?? "";
    const local = { dateStyle: "medium", timeStyle: "medium", timeZone: timezoneId } as const;
    expect(await time.innerText()).toBe(new Date(created).toLocaleString("en-US", local));
    expect(await time.getAttribute("title")).toContain(`${created.slice(0, 19)}Z`);
    await close();
  });
});
