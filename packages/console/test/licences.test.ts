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
});
