import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";
import { addExampleBuilds } from "./example-builds.ts";

describe("catalogue", needs("Chromium"), () => {
  let depot: Depot;
  let operator: string | undefined;
  beforeAll(async () => {
    depot = await startDepot();
    await addExampleBuilds(depot.running);
    operator = await depot.signedIn("olivia@example.net", "operator");
  });
  afterAll(() => depot?.dispose());

  it("adds a family and a version, and changes what may be changed", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: operator });
    await page.goto("/console/catalogue");
    await page.getByRole("button", { name: "Add family" }).click();
    await page.getByLabel("Id").fill("relay ip");
    await page.getByLabel("Name").fill("Relay IP");
    await page.getByRole("dialog").getByRole("button", { name: "Add family" }).click();
    await page.getByText("Use letters, digits and underscores").waitFor();
    await page.getByLabel("Id").fill("relay_ip");
    await page.getByRole("radio", { name: "Open" }).check();
    await page.getByRole("dialog").getByRole("button", { name: "Add family" }).click();
    await page.getByRole("heading", { level: 1, name: "Relay IP" }).waitFor();

    await page.getByRole("button", { name: "Add version" }).click();
    await page.getByLabel("Summary").fill("Private relays");
    await page.getByRole("dialog").getByRole("button", { name: "Add version" }).click();
    await page.getByRole("heading", { level: 2, name: "relay_ip_v1" }).waitFor();
    await page.getByText("No build yet").waitFor();

    await page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await page.getByLabel("Version number").isDisabled()).toBe(true);
    expect(await page.getByLabel("CSV (gzip)").isDisabled()).toBe(true);
    await page.getByLabel("Summary").fill("Addresses of private relays");
    await page.getByLabel("Compress csv.gz files again").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Addresses of private relays").waitFor();
    const { versions } = depot.running.service.services.store;
    expect(await versions.byId("relay_ip_v1")).toMatchObject({ recompress: true });

    await page.getByRole("button", { name: "Change family" }).click();
    await page.getByRole("menuitem", { name: "Archive family" }).click();
    await page.getByRole("button", { name: "Archive family" }).click();
    await page.getByText("This family is archived").waitFor();
    await page.getByRole("button", { name: "Unarchive family" }).click();
    await page.getByText("This family is archived").waitFor({ state: "hidden" });
    expect(await depot.running.service.services.store.families.byBase("relay_ip")).toMatchObject({
      open: true,
      archived: null,
    });
    expect(problems).toEqual([]);
    await close();
  });

  it("finds overdue builds, goes back to an earlier build and withdraws one", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: operator });
    await page.goto("/console/catalogue");
    await page.getByText("Overdue", { exact: true }).first().click();
    const families = page.locator("tbody a p:first-child");
    await expect.poll(() => families.allInnerTexts()).toEqual(["Proxy IP"]);
    expect(page.url()).toContain("show=overdue");
    await page.getByRole("link", { name: /^Proxy IP/ }).click();
    const rows = page.getByRole("row");
    await rows.nth(1).getByText("Current").waitFor();
    await rows.nth(1).getByText("−7.1 %").first().waitFor();
    // Columns that do not fit are in the details of their row.
    await rows
      .nth(1)
      .getByRole("button", { name: /^Show by/, expanded: false })
      .click();
    await page.getByRole("definition").getByText("Key dbd_4fT9xQ2a").waitFor();
    await rows
      .nth(1)
      .getByRole("button", { name: /^Show by/, expanded: true })
      .click();

    await rows
      .nth(2)
      .getByRole("button", { name: /^Actions/ })
      .click();
    await page.getByRole("menuitem", { name: "Make it current" }).click();
    await page.getByRole("dialog").getByText("with 184 rows within a second").waitFor();
    const colourOf = (name: string) =>
      page
        .getByRole("button", { name })
        .evaluate((each) => Reflect.get(globalThis, "getComputedStyle")(each).backgroundColor);
    const harmless = await colourOf("Make it current");
    await page.getByRole("button", { name: "Make it current" }).click();
    await rows.nth(2).getByText("Current").waitFor();

    await rows
      .nth(2)
      .getByRole("button", { name: /^Actions/ })
      .click();
    await page.getByRole("menuitem", { name: "Withdraw" }).click();
    await page.getByRole("dialog").getByText("with 180 rows within a second").waitFor();
    await page.getByRole("dialog", { name: /^Withdraw the build of .+, published .+\d:\d\d/ }).waitFor();
    // Only what cannot be undone is red.
    expect(await colourOf("Withdraw build")).not.toBe(harmless);
    await page.getByRole("button", { name: "Withdraw build" }).click();
    await page.getByText("Say why, so that customers know what to do.").waitFor();
    await page.getByLabel("Reason").fill("Half of the proxies were missing");
    await page.getByRole("button", { name: "Withdraw build" }).click();
    await rows.nth(2).getByText("Withdrawn").waitFor();
    await rows.nth(3).getByText("Current").waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("shows a read-only operator everything, and nothing that changes it", async () => {
    const cookie = await depot.signedIn("victor@example.net", "operator_viewer");
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console/catalogue");
    await page.getByRole("link", { name: /^Proxy IP/ }).waitFor();
    // Headings sort, and rows and menus open.
    const buttons = page.getByRole("main").locator("button:not(th button, [aria-expanded])");
    expect(await buttons.count()).toBe(0);
    await page.getByRole("link", { name: /^Proxy IP/ }).click();
    await page.getByRole("row").nth(3).waitFor();
    const menus = page.getByRole("button", { name: /^Actions for the build/ });
    const changes = page.getByRole("button", { name: / added, .+ removed, .+ changed$/ });
    const others = async () => (await buttons.count()) - (await changes.count());
    await expect.poll(others).toBe(0);
    await menus.first().click();
    await expect.poll(() => page.getByRole("menuitem").allInnerTexts()).toEqual(["Details and checksums"]);
    await page.getByRole("menuitem").click();
    await page.getByRole("dialog").getByText("SHA-256").first().waitFor();
    await page.getByRole("dialog").getByText("minisign -V").waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});
