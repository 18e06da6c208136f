import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

const TEXT = `# Rules

Be **nice**, see [our page](https://vendor.example/rules) or write to <law@vendor.example>.
One line of its own.

3. Keep it
   - inside
4. Delete it

<img src="x" onerror="document.title='owned'"> [click](javascript:alert(1)) ![logo](https://vendor.example/logo.png)
`;

describe("terms", needs("Chromium"), () => {
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
    const shown = operator.page.getByRole("region", { name: "House rules" });
    await shown.getByRole("heading", { level: 2, name: "Rules" }).waitFor();
    expect(await shown.locator("strong").innerText()).toBe("nice");
    expect(await shown.locator("ol").getAttribute("start")).toBe("3");
    expect(await shown.locator("ol ul li").innerText()).toBe("inside");
    const links = await shown.getByRole("link").evaluateAll((all) => all.map((each) => each.outerHTML));
    expect(links).toHaveLength(2);
    expect(links[0]).toContain('href="https://vendor.example/rules"');
    expect(links[0]).toContain('rel="noopener noreferrer nofollow"');
    expect(links[1]).toContain('href="mailto:law@vendor.example"');
    // What is not rendered can be read, and does nothing.
    for (const text of ["onerror=", "[click](javascript:alert(1))", "![logo]"]) await shown.getByText(text).waitFor();
    expect(await shown.locator("img").count()).toBe(0);
    await operator.page.getByRole("button", { name: "Show it as it was uploaded" }).click();
    expect(await shown.innerText()).toBe(TEXT);
    await operator.page.goto("/console/organizations/Demo%20Evaluation");
    await operator.page.getByRole("button", { name: "Grant a licence" }).click();
    await dialog.getByRole("combobox", { name: "Database" }).fill("hosting");
    await operator.page.getByRole("option", { name: "Hosting providers (hosting_provider)" }).click();
    await dialog.getByRole("combobox", { name: "Terms to accept" }).fill("rules");
    await operator.page.getByRole("option", { name: "House rules (rules@1)" }).click();
    await dialog.getByRole("button", { name: "Grant licence" }).click();
    await operator.page.getByText("Requires House rules").waitFor();

    const viewer = await visit(depot.url, { cookie: depot.cookies.evaluator });
    await viewer.page.goto("/console/databases");
    await viewer.page.getByRole("link", { name: "House rules" }).click();
    await viewer.page.getByRole("link", { name: "eva@example.org" }).waitFor();
    expect(await viewer.page.getByRole("checkbox").count()).toBe(0);

    const admin = await visit(depot.url, { cookie: eva });
    await admin.page.goto("/console/databases/hosting_provider");
    await admin.page.getByText("Terms not accepted").waitFor();
    expect(await admin.page.getByRole("link", { name: "Download CSV" }).count()).toBe(0);
    await admin.page.getByRole("link", { name: "House rules" }).click();
    await admin.page.getByRole("region", { name: "House rules" }).getByRole("heading", { name: "Rules" }).waitFor();
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
