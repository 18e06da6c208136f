import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe.skipIf(!hasBrowser)("licences", () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  let evaluator: string | undefined;
  beforeAll(async () => {
    depot = await startExampleDepot();
    ({ evaluator } = depot.cookies);
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
    await providers.getByText("Requested").waitFor();

    const [entry] = await depot.running.service.services.store.audit.list({ limit: 1 });
    expect(entry).toMatchObject({
      action: "licence.requested",
      actor: "account:edith@example.org",
      after: { base: "hosting_provider", message: "For our fraud team" },
    });
    expect(problems).toEqual([]);
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
    await page.getByText("A day is a day in UTC.").waitFor();
    const time = page.getByRole("listitem").locator("time").first();
    const created = (await time.getAttribute("datetime")) ?? "";
    const local = { dateStyle: "medium", timeStyle: "medium", timeZone: timezoneId } as const;
    expect(await time.innerText()).toBe(new Date(created).toLocaleString("en-US", local));
    expect(await time.getAttribute("title")).toContain(`${created.slice(0, 19)}Z`);
    await close();
  });
});
