import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { call } from "../../../rigs/harness/service/customer.ts";
import { createKey } from "../../server/src/domain/keys/keys.ts";
import { attemptAt } from "../../server/test/adapters/sql/samples.ts";
import { DESKTOP, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";
import { addManyAttempts } from "./many-attempts.ts";

/** Three pages of the list. */
const ATTEMPTS = 1200;
/** How often the page looks for new attempts. */
const POLL_MS = 5000;

describe("history", needs("Chromium"), () => {
  let depot: Depot;
  let cookie: string | undefined;
  let key: { id: string; secret: string };
  let organizationId: string;
  beforeAll(async () => {
    depot = await startDepot();
    const { operator } = depot.running;
    organizationId = await addManyAttempts(depot, ATTEMPTS);
    const named = { organizationId, name: "nightly job", scopes: ["db.download" as const], cidrs: [], expires: null };
    const { key: created, plain } = await createKey(operator.operation(), named);
    key = { id: created.id, secret: plain.reveal() };
    await operator.settle();
    cookie = await depot.signedIn("ada@example.com", "admin", ORGANIZATION);
  });
  afterAll(() => depot?.dispose());

  function download(id: string) {
    const headers = { authorization: `Bearer ${key.secret}` };
    return call(`${depot.url}/api/v2/database/download?id=${id}&format=mmdb`, { headers });
  }

  const rows = (page: Page) => page.getByRole("region", { name: "Download attempts" }).locator("tbody tr[role=row]");

  it("filters by result, database, key and time, with addresses that can be shared", async () => {
    await download("bogon_ip_v2");
    await download("typo_v1");
    const { page, problems, close } = await visit(depot.url, { cookie });
    await page.goto("/console/history");
    await rows(page).first().getByText("typo_v1").waitFor();

    await rows(page).first().getByRole("button").click();
    await page.getByRole("dialog").getByText("No database has this id.").waitFor();
    await page.getByRole("dialog").getByText("nightly job").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });

    await rows(page).first().getByText("nightly job").waitFor();
    await page.getByRole("combobox", { name: "Key" }).click();
    await page.getByRole("option", { name: "nightly job" }).click();
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "All refused" }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).getByText("typo_v1").waitFor();
    await page.getByText("Granted").locator("xpath=../dd").getByText("0", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "All refused" }).click();
    await page.getByText("Refused").locator("xpath=../dd").getByText("1", { exact: true }).waitFor();
    await page.getByRole("combobox", { name: "Result" }).click();
    await page.getByRole("option", { name: "Granted" }).click();
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).getByText("bogon_ip_v2").waitFor();
    expect(page.url()).toMatch(new RegExp(`\\?outcome=ok&key=${key.id}$`));

    await page.goto("/console/history?database=proxy_ip_v1&days=7");
    await rows(page).first().getByText("Not licensed").waitFor();
    await rows(page).first().getByRole("button").click();
    await page.getByRole("dialog").getByText("Ask your vendor for a licence").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Database" }).click();
    await page.getByRole("option", { name: "proxy_ip_v1" }).click();
    await rows(page).first().getByText("typo_v1").waitFor();

    await page.goto("/console/history?from=2001-01-01&to=2001-01-31");
    await page.getByText("No attempt matches").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await rows(page).first().getByText("typo_v1").waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it.each([390, 800, DESKTOP.width])("marks patches at a width of %d pixels", async (width) => {
    const asked = { organizationId, datasetId: `patched_${width}_v1`, patch: true };
    // The clock of the depot may stand still, and what is newest must come from the next download.
    const aMinuteAgo = new Date(Date.now() - 60_000);
    await depot.running.service.services.store.attempts.append([attemptAt(aMinuteAgo, asked)]);
    const { page, close } = await visit(depot.url, { cookie });
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/console/history");
    const row = rows(page).filter({ hasText: asked.datasetId });
    await row.getByText("mmdb, patch").waitFor();
    await rows(page).getByText("mmdb", { exact: true }).first().waitFor();
    await close();
  });

  it("exports what matches as CSV", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/history?outcome=denied&days=7");
    const waiting = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export CSV" }).click();
    const file = await waiting;
    expect(file.suggestedFilename()).toMatch(/^history-\d{4}-\d{2}-\d{2}\.csv$/);
    const [header, ...lines] = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
    expect(header).toMatch(/^id,dataset_id,format,outcome,/);
    expect(lines).toHaveLength(ATTEMPTS / 10);
    expect(lines.filter((line) => !line.includes(",proxy_ip_v1,mmdb,denied,"))).toEqual([]);
    await close();
  });

  it("loads older attempts as the list is scrolled, and renders only the ones in view", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/history?days=365");
    await rows(page).first().waitFor();
    const loaded = async () => Number(await page.getByRole("table").last().getAttribute("aria-rowcount")) - 1;
    expect(await loaded()).toBeLessThan(ATTEMPTS);
    await expect
      .poll(async () => {
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        return loaded();
      })
      .toBeGreaterThanOrEqual(ATTEMPTS);
    await expect
      .poll(async () => {
        await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        return Number(await rows(page).last().getAttribute("aria-rowindex"));
      })
      .toBe((await loaded()) + 1);
    expect(await rows(page).count()).toBeLessThan(60);
    await close();
  });

  it("shows new attempts at once if scrolled to the top, and otherwise without moving the rows in view", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await page.clock.install();
    await page.goto("/console/history");
    await rows(page).first().waitFor();
    await download("live_one_v1");
    await page.clock.fastForward(POLL_MS);
    await rows(page).first().getByText("live_one_v1").waitFor();

    await page.evaluate("scrollTo(0, 3000)");
    const read = rows(page).nth(20);
    const text = await read.innerText();
    const place = await read.boundingBox();
    await download("live_two_v1");
    const newer = page.getByRole("button", { name: "1 new attempt" });
    await page.clock.fastForward(POLL_MS);
    await newer.waitFor();
    const same = rows(page).filter({ hasText: text.split("\n")[0] ?? "" });
    expect(await same.boundingBox()).toEqual(place);
    await newer.click();
    await rows(page).first().getByText("live_two_v1").waitFor();
    await close();
  });
});
