import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe.skipIf(!hasBrowser)("licences", () => {
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
    expect(await tor.allInnerTexts()).toEqual([
      expect.stringMatching(/Internal use · .+ – .+\n+Upcoming/),
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
    const database = () => grant.getByLabel("Database").inputValue();
    await expect.poll(database).toBe("Hosting providers (hosting_provider)");
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
});
