import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

const TEXT = "# Rules\n\nBe nice.";

describe.skipIf(!hasBrowser)("terms", () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  beforeAll(async () => {
    depot = await startExampleDepot();
  });
  afterAll(() => depot?.dispose());

  it("are uploaded and required by an operator, and accepted by an admin before the first download", async () => {
    const eva = await depot.signedIn("eva@example.org", "admin", "Demo Evaluation");
    const operator = await visit(depot.url, { cookie: depot.cookies.operator });
    await operator.page.goto("/console/terms");
    await operator.page.getByRole("button", { name: "Add terms" }).click();
    const dialog = operator.page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("rules");
    await dialog.getByLabel("Title").fill("House rules");
    const file = { name: "rules.md", mimeType: "text/markdown", buffer: Buffer.from(TEXT) };
    await operator.page.locator("input[type=file]").setInputFiles(file);
    await expect.poll(() => dialog.getByRole("textbox", { name: "Text" }).inputValue()).toBe(TEXT);
    await dialog.getByRole("button", { name: "Add terms" }).click();
    await operator.page.getByRole("heading", { level: 1, name: "House rules" }).waitFor();
    expect(await operator.page.getByRole("region", { name: "House rules" }).innerText()).toBe(TEXT);
    await operator.page.goto("/console/organizations/Demo%20Evaluation");
    await operator.page.getByRole("button", { name: "Grant a licence" }).click();
    await dialog.getByRole("combobox", { name: "Database" }).fill("hosting");
    await operator.page.getByRole("option", { name: "Hosting providers (hosting_provider)" }).click();
    await dialog.getByRole("combobox", { name: "Terms to accept" }).fill("rules");
    await operator.page.getByRole("option", { name: "House rules (rules@1)" }).click();
    await dialog.getByRole("button", { name: "Grant licence" }).click();
    await operator.page.getByText("Requires rules@1").waitFor();

    const viewer = await visit(depot.url, { cookie: depot.cookies.evaluator });
    await viewer.page.goto("/console/databases");
    await viewer.page.getByRole("link", { name: "rules@1" }).click();
    await viewer.page.getByRole("link", { name: "eva@example.org" }).waitFor();
    expect(await viewer.page.getByRole("checkbox").count()).toBe(0);

    const admin = await visit(depot.url, { cookie: eva });
    await admin.page.goto("/console/databases/hosting_provider");
    await admin.page.getByText("Terms not accepted").waitFor();
    expect(await admin.page.getByRole("link", { name: "Download CSV" }).count()).toBe(0);
    await admin.page.getByRole("link", { name: "rules@1" }).click();
    expect(await admin.page.getByRole("region", { name: "House rules" }).innerText()).toBe(TEXT);
    const accept = admin.page.getByRole("button", { name: "Accept for Demo Evaluation" });
    expect(await accept.isDisabled()).toBe(true);
    await admin.page.getByRole("checkbox").check();
    await accept.click();
    await admin.page.getByText(/^eva@example\.org accepted these terms on/).waitFor();
    await admin.page.goto("/console/databases/hosting_provider");
    const download = admin.page.getByRole("link", { name: /^Download (?!a sample)/ }).first();
    const href = (await download.getAttribute("href")) ?? "";
    const reply = await fetch(depot.url + href, { headers: { cookie: eva ?? "" }, redirect: "manual" });
    expect(reply.status).toBe(302);

    await operator.page.getByRole("tab", { name: "Terms" }).click();
    await operator.page.getByText("eva@example.org").waitFor();
    expect([...operator.problems, ...viewer.problems, ...admin.problems]).toEqual([]);
    for (const visitor of [operator, viewer, admin]) await visitor.close();
  });
});
