import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { violationsOn } from "./accessibility.ts";
import { visit } from "./browser.ts";
import { startDepotOn } from "./depot.ts";
import { startExampleDepot } from "./example-data.ts";
import { emptyStage } from "./seeded-stage.ts";

describe("overview and settings", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  let cookie: string | undefined;
  beforeAll(async () => {
    depot = await startExampleDepot();
    ({ operator: cookie } = depot.cookies);
  });
  afterAll(() => depot?.dispose());

  it("shows operators what needs attention, and leads to the pages concerned", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.getByRole("region", { name: "Health" }).getByText("Reachable").nth(1).waitFor();
    await page.getByRole("region", { name: "Attempts by day" }).getByText("Granted").first().waitFor();
    const overdue = page.getByRole("region", { name: "Overdue builds" });
    expect(await overdue.getByRole("link", { name: /^proxy_ip_v1/ }).getAttribute("href")).toBe(
      "/console/catalogue/proxy_ip",
    );
    await page
      .getByRole("region", { name: "Keys that are refused" })
      .getByRole("link", { name: /nightly job/ })
      .click();
    await page.getByRole("heading", { level: 1, name: "Demo Licensed" }).waitFor();
    await page.getByRole("cell", { name: /^nightly job/ }).waitFor();
    await page.goBack();
    await page
      .getByRole("region", { name: "Evaluations" })
      .getByRole("link", { name: /Demo Evaluation/ })
      .click();
    await page.getByRole("heading", { level: 1, name: "Demo Evaluation" }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("says how the first operator signs in to a new server, and which steps come next", async () => {
    const empty = await startDepotOn(emptyStage());
    const stranger = await visit(empty.url);
    await stranger.page.goto("/console");
    await stranger.page.getByText("dbdepot-server accounts invite you@example.com --role operator").waitFor();
    expect(await violationsOn(stranger.page)).toEqual([]);
    await stranger.page.goto(await empty.invite("olivia@example.net", "operator"));
    await stranger.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await stranger.page.getByRole("button", { name: "Create your account" }).click();
    const steps = stranger.page.getByRole("region", { name: "First steps" });
    await steps.getByText("0 of 7 done").waitFor();
    await stranger.page.getByText("No build has been published yet.").waitFor();
    expect(await violationsOn(stranger.page)).toEqual([]);
    await steps.getByRole("link", { name: "Add an organization" }).click();
    const form = stranger.page.getByRole("dialog", { name: "Add an organization" });
    await form.getByLabel("Name").fill("Acme");
    await form.getByRole("button", { name: "Add organization" }).click();
    await stranger.page.getByRole("heading", { level: 1, name: "Acme" }).waitFor();
    await stranger.page.goto("/console/overview");
    await steps.getByText("1 of 7 done").waitFor();
    await steps.getByRole("listitem").filter({ hasText: "Add your first customer" }).getByLabel("Done:").waitFor();
    await steps.getByRole("button", { name: "Hide the first steps" }).click();
    await steps.waitFor({ state: "detached" });
    expect(stranger.problems).toEqual([]);
    await stranger.close();
    await empty.dispose();
  });

  it("says that the server is a copy until it is activated", async () => {
    const { stage } = depot.running;
    await stage.query("insert into copies (id, copied) values (1, '2026-11-18T08:00:00.000Z') returning id");
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console");
    await page.getByRole("alert").getByText("This is a copy").waitFor();
    await stage.query("delete from copies returning id");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(await page.getByText("This is a copy").count()).toBe(0);
    await close();
  });

  it("shows the settings with their sources", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/settings");
    const setting = (name: string) => page.getByRole("listitem").filter({ hasText: name });
    await setting("DBDEPOT_LINK_TTL_SECONDS").getByText("900").waitFor();
    await setting("DBDEPOT_LINK_TTL_SECONDS").getByText("Default").waitFor();
    await setting("DBDEPOT_RATE_LIMIT").getByText("Environment").waitFor();
    await page.getByLabel("Search settings").fill("evaluation licence");
    await expect.poll(() => page.getByRole("list", { name: "Settings" }).getByRole("listitem").count()).toBe(1);
    const events = page.getByRole("region", { name: "Retention" }).getByRole("row").filter({ hasText: "Events" });
    await events.getByText("Events are deleted after 30 days.").waitFor();
    await close();
  });
});
