import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { enqueue } from "../../server/src/domain/jobs/jobs.ts";
import { visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe("history, audit log and legacy keys for operators", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  beforeAll(async () => {
    depot = await startExampleDepot();
  });
  afterAll(() => depot?.dispose());

  it("lead from an organization's history to its usage, and on to that of all organizations", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: depot.cookies.operator });
    await page.goto("/console/organizations/Demo%20Licensed?tab=history");
    await page.getByRole("main").getByRole("link", { name: "Usage" }).click();
    const rows = page.getByRole("region", { name: "Usage" }).getByRole("row");
    await rows.filter({ hasText: "Demo Licensed" }).first().getByText("Open").waitFor();
    await page.getByRole("combobox", { name: "Show" }).click();
    await page.getByRole("option", { name: "By database" }).click();
    await rows.filter({ hasText: "bogon_ip_v2 (csvgz)" }).waitFor();
    await rows.filter({ hasText: "Unknown databases" }).waitFor();
    await page.getByRole("button", { name: "Show all organizations" }).click();
    await page.getByRole("textbox", { name: "Search organizations" }).fill("nobody");
    await page.getByText("No downloads in this period").waitFor();
    await page.getByRole("textbox", { name: "Search organizations" }).fill("licensed");
    await rows.filter({ hasText: "bogon_ip_v2 (csvgz)" }).waitFor();
    const waiting = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export CSV" }).click();
    const lines = (await readFile(await (await waiting).path(), "utf8")).trim().split("\r\n");
    expect(lines[0]).toMatch(/^organization_id,organization_name,period,dataset_id,/);
    expect(lines.length).toBe(await rows.count());
    expect(problems).toEqual([]);
    await close();
  });

  it("filter the attempts of all customers and show the exact cause", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: depot.cookies.operator });
    await page.goto("/console/operator-history");
    const rows = page.getByRole("region", { name: "Download attempts" }).locator("tbody tr[role=row]");
    await rows.first().waitFor();
    const all = await rows.count();
    await page.getByRole("combobox", { name: "Organization" }).click();
    await page.getByRole("option", { name: "Demo Licensed" }).click();
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "Unknown database" }).click();
    await expect.poll(() => rows.count()).toBe(2);
    expect(all).toBeGreaterThan(2);
    expect(page.url()).toContain("outcome=unknown");
    await rows.first().getByRole("button").click();
    const attempt = page.getByRole("dialog");
    await attempt.getByText("unknown_dataset").waitFor();
    await attempt.getByText("nightly job").waitFor();
    expect(await attempt.getByRole("link", { name: /^Why was/ }).getAttribute("href")).toContain("/console/why?org=");
    await page.keyboard.press("Escape");
    const waiting = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export CSV" }).click();
    const lines = (await readFile(await (await waiting).path(), "utf8")).trim().split("\r\n");
    expect(lines).toHaveLength(3);
    await page.getByRole("textbox", { name: "Key" }).fill("dbd_00000000");
    await page.keyboard.press("Enter");
    await page.getByText("There is no such key").first().waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("revoke a legacy key, which the audit log then shows field by field", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: depot.cookies.operator });
    await page.goto("/console/legacy-keys");
    await page.getByRole("row").filter({ hasText: "old appliance" }).getByText("bogon_ip_v2, vpn_ip_v1").waitFor();
    await page.getByRole("button", { name: "Revoke old appliance" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("old appliance has been revoked.").waitFor();
    await page.getByText("No active legacy keys").waitFor();
    await page.getByRole("switch", { name: "Show revoked keys" }).check();
    await page.getByRole("row").filter({ hasText: "old appliance" }).getByText("Revoked").waitFor();

    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("combobox", { name: "Changes of" }).click();
    await page.getByRole("option", { name: "Legacy keys" }).click();
    await expect.poll(() => page.url()).toContain("action=legacy_key");
    const entry = page.getByRole("row").filter({ hasText: "Legacy key revoked" });
    await entry.getByText("olivia@example.net").waitFor();
    await entry.getByText("old appliance").waitFor();
    await entry.getByRole("button").click();
    await page.getByRole("dialog").getByRole("cell", { name: "Revoked", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("textbox", { name: "Who" }).fill("account:olivia@example.net");
    await page.keyboard.press("Enter");
    const changes = page.getByRole("region", { name: "Changes" }).locator("tbody tr[role=row]");
    await expect.poll(() => changes.count()).toBe(1);
    await page.goto("/console/audit?action=licence");
    await changes
      .filter({ hasText: /^.*vpn_ip, Demo Licensed/ })
      .first()
      .waitFor();
    await page.goto("/console/audit?action=build");
    await changes.filter({ hasText: "vpn_ip_v1" }).first().waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("say on the settings page why a job has failed, and retry it", async () => {
    const { service, clock } = depot.running;
    const { store } = service.services;
    // Due later, so that the server does not take it first.
    const due = new Date(clock.now().getTime() + 3_600_000);
    const claim = { by: "a test", until: new Date(due.getTime() + 60_000) };
    await enqueue(store, "compare_builds", { from: "one", to: "another" }, due);
    const job = await store.jobs.claim("compare_builds", claim, due);
    await store.jobs.release(job?.id ?? "", claim.by, { attempts: 3, due, error: "the disk is full", failed: due });

    const { page, problems, close } = await visit(depot.url, { cookie: depot.cookies.operator });
    await page.goto("/console/settings");
    const row = page.getByRole("region", { name: "Jobs" }).getByRole("row").filter({ hasText: "one another" });
    await row.getByText("Failed").waitFor();
    await row.getByText("the disk is full").waitFor();
    await row.getByRole("button", { name: "Retry: Compare builds one another" }).click();
    // The builds do not exist, so there is nothing to do.
    await row.waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await close();
  });
});
