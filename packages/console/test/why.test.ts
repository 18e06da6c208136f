import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe("why", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  let cookie: string | undefined;
  beforeAll(async () => {
    depot = await startExampleDepot();
    ({ operator: cookie } = depot.cookies);
  });
  afterAll(() => depot?.dispose());

  it("explains a download step by step, under a URL that can be shared", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console/why");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("Choose an organization", { exact: true }).last().waitFor();
    await page.getByRole("combobox", { name: "Organization" }).fill("licensed");
    await page.getByRole("option", { name: "Demo Licensed" }).click();
    await page.getByRole("combobox", { name: "Database" }).fill("vpn_ip_v1");
    await page.getByRole("combobox", { name: "Key" }).click();
    await page.getByRole("option", { name: /^nightly job/ }).click();
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: "The download works" }).waitFor();
    const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem");
    expect(await steps.count()).toBe(8);
    expect(await steps.getByRole("img", { name: "Passed" }).count()).toBe(8);
    await steps.getByText(/^dbd_\w+ "nightly job", of this organization, works/).waitFor();

    const other = await visit(depot.url, { cookie });
    await other.page.goto(page.url());
    await other.page.getByRole("heading", { name: "The download works" }).waitFor();
    await other.page.getByRole("combobox", { name: "Key" }).and(other.page.locator('[value^="nightly job"]')).waitFor();
    await other.close();
    expect(problems).toEqual([]);
    await close();
  });

  it("says which step failed and leads to where it can be fixed", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/why?org=Demo%20Expired&id=vpn_ip_v1");
    await page.getByText("403 LICENSE_EXPIRED").waitFor();
    const steps = page.getByRole("list", { name: "Steps" }).getByRole("listitem");
    const marks = await steps.getByRole("img").evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(marks).toEqual(["Passed", "Passed", "Failed", "Not checked", "Not checked", "Not checked"]);
    // Names instead of ids, which lead to their page.
    await steps.getByRole("link", { name: "Demo Expired", exact: true }).waitFor();
    expect((await steps.allInnerTexts()).join()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    await page.goto("/console/audit?action=licence");
    await page.getByRole("row").filter({ hasText: "Demo Evaluation" }).first().getByRole("button").click();
    const entry = page.getByRole("dialog").getByRole("table");
    await entry.getByRole("link", { name: "Demo Evaluation" }).waitFor();
    expect(await entry.innerText()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    await page.goBack();
    await page.getByRole("link", { name: "Grant or renew a licence" }).click();
    await page.getByRole("heading", { level: 1, name: "Demo Expired" }).waitFor();
    await page.getByRole("list", { name: "Licences" }).getByText("Ended").waitFor();
    await page.goto("/console/why?org=Nobody&id=vpn_ip_v1");
    await page.getByText('There is no organization "Nobody".').waitFor();
    await close();
  });
});
