import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { type Visitor, visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";
import { addManyRows } from "./many-rows.ts";

const CUSTOMERS = 320;

describe("long lists", needs("Chromium"), () => {
  let depot: Depot;
  let visitor: Visitor;
  let page: Page;
  let organizationId: string;
  beforeAll(async () => {
    depot = await startDepot();
    organizationId = await addManyRows(depot, { customers: CUSTOMERS, keys: 0, families: 1000 });
    visitor = await visit(depot.url, { cookie: await depot.signedIn("olivia@example.net", "operator") });
    page = visitor.page;
  });
  afterAll(async () => {
    await visitor?.close();
    await depot?.dispose();
  });

  const rows = () => page.locator("tbody[data-index]");
  const heading = (name: string) => page.getByRole("columnheader", { name });
  const first = (text: string) => page.locator("tbody tr").filter({ hasText: text }).first();

  it("render the rows in view, load further pages, and keep their search and order in the URL", async () => {
    await page.goto("/console/accounts");
    await page.getByText("Person 00000").waitFor();
    const { accounts } = depot.running.service.services.store;
    await page
      .getByRole("status")
      .getByText(`${(await accounts.list({})).length} accounts`)
      .waitFor();
    const count = async () => Number(await page.getByRole("table").getAttribute("aria-rowcount"));
    expect(await count()).toBeLessThan(CUSTOMERS);
    await expect
      .poll(async () => {
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        return count();
      })
      .toBeGreaterThan(CUSTOMERS);
    expect(await rows().count()).toBeLessThan(60);
    // The headings stay at the top of the window.
    expect((await heading("Organization").boundingBox())?.y).toBe(0);
    await page.evaluate("scrollTo(0, 0)");

    await heading("Organization").getByRole("button").click();
    await heading("Organization").getByRole("button").click();
    await expect.poll(() => heading("Organization").getAttribute("aria-sort")).toBe("descending");
    await rows().first().getByText("Customer 00319").waitFor();
    await page.getByLabel("Search accounts").fill("person customer 0031");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(11);
    await page.reload();
    await expect.poll(() => page.locator("tbody tr").first().innerText()).toContain("Person 00319");
    expect(await page.getByLabel("Search accounts").inputValue()).toBe("person customer 0031");
    await page.getByLabel("Search accounts").fill("nobody");
    await page.getByText("No account matches").waitFor();
  });

  it("show all licences, filtered and by their end, where the overview's count leads", async () => {
    await page.goto("/console/overview");
    await page.getByRole("link", { name: "Licences that end within 60 days" }).click();
    await page.getByRole("heading", { level: 1, name: "Licences" }).waitFor();
    await first("Customer 00000").waitFor();
    expect(await heading("Ends").getAttribute("aria-sort")).toBe("ascending");
    expect(Number(await page.getByRole("table").getAttribute("aria-rowcount"))).toBeLessThan(70);
    await page.getByRole("combobox", { name: "Ending within" }).click();
    await page.getByRole("option", { name: "7 days", exact: true }).click();
    await expect.poll(() => page.getByRole("link", { name: /^Customer/ }).count()).toBeLessThan(10);
    expect(page.url()).toContain("within=7");
    await first("Customer 00003").click();
    await page.getByRole("heading", { level: 1, name: "Customer 00003" }).waitFor();
  });

  it("render the families in view, search them, and sort them by their headings", async () => {
    await page.goto("/console/catalogue");
    await first("Area-00000").waitFor();
    const { families } = depot.running.service.services.store;
    await page
      .getByRole("status")
      .getByText(`${(await families.list()).length.toLocaleString("en")} families`)
      .waitFor();
    // Before the code for long lists is there, the first 60 rows are shown.
    await expect.poll(() => page.locator("tbody tr").count()).toBeLessThan(60);
    await heading("Family").getByRole("button").click();
    await first("VPN IP").waitFor();
    expect(page.url()).toContain("sort=-name");
    await page.getByLabel("Search the catalogue").fill("area-0099");
    await first("Area-00999").waitFor();
    await page.getByRole("status").getByText("10 families").waitFor();
    expect(await page.locator("tbody tr").first().innerText()).toContain("Area-00999");
  });

  it("show what organizations have, and sort them by it", async () => {
    await page.goto("/console/organizations");
    const { organizations } = depot.running.service.services.store;
    const count = (await organizations.list()).length;
    await page.getByRole("status").getByText(`${count} organizations`).waitFor();
    await heading("Next end").getByRole("button").click();
    await expect.poll(() => rows().first().innerText()).toContain("Customer 00000");
    await page.getByLabel("Search organizations").fill("demo licensed");
    // "Demo Unlicensed" contains both words, too.
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
    await heading("Licences").getByRole("button").click();
    expect(page.url()).toContain("sort=-licences");
    expect(visitor.problems).toEqual([]);
  });

  it("let an operator view the console as a customer, read-only, and leave with one click", async () => {
    await page.goto(`/console/organizations/${organizationId}`);
    await page.getByRole("button", { name: "View as customer" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    const banner = page.getByRole("region", { name: "View as customer" });
    await banner.getByText("You see this console as an admin of Customer 00000.").waitFor();
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("mine");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("You are viewing this console as a customer").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await banner.getByRole("button", { name: "Leave the view" }).click();
    await page.getByRole("heading", { level: 1, name: "Customer 00000" }).waitFor();
    await banner.waitFor({ state: "detached" });
    await page.goto(`/console/audit?action=session`);
    await page.getByRole("row").filter({ hasText: "Session viewed as" }).getByText("Customer 00000").waitFor();
  });
});
