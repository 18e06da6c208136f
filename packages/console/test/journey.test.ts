import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });

describe("the console", needs("Chromium"), () => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await startDepot();
  });
  afterAll(() => depot?.dispose());

  it("leads from an invitation to a key that downloads with curl", needs("curl"), async () => {
    const { page, problems, close } = await visit(depot.url);
    await page.goto(await depot.invite("ada@example.com", "admin", ORGANIZATION));
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Create your account" }).click();
    await heading(page, "Databases").waitFor();

    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create key" }).first().click();
    await page.getByLabel("Name").fill("firewall");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    const key = await page.getByRole("dialog").locator("pre").innerText();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download as .env" }).click();
    const env = await readFile(await (await download).path(), "utf8");
    expect(env).toBe(`DBDEPOT_CLIENT_URL=${depot.url}\nDBDEPOT_CLIENT_KEY=${key}\n`);
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("cell", { name: /^firewall/ }).waitFor();
    expect(await page.content()).not.toContain(key);

    await page.getByRole("link", { name: "Databases" }).click();
    await page.getByRole("link", { name: /^Bogon IP/ }).click();
    await page.getByText("CSV (gzip)", { exact: true }).last().click();
    const snippet = await page.locator("pre").innerText();
    expect(snippet).toContain(depot.url);
    const rows = await runSnippet(snippet.replace("dbd_...", key), "bogon_ip_v2.csv.gz");
    expect(rows).toContain("10.0.0.0/8");

    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("row").filter({ hasText: "bogon_ip_v2" }).getByText("Granted").waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("signs in with the keyboard only, and returns to the page that was asked for", async () => {
    await depot.signedIn("keyboard@example.com", "viewer", ORGANIZATION);
    const { page, close } = await visit(depot.url);
    await page.goto("/console/history");
    await heading(page, "Sign in").waitFor();
    await page.keyboard.type("keyboard@example.com");
    await page.keyboard.press("Tab");
    await page.keyboard.type("a wrong password");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("The e-mail address or the password is wrong.").waitFor();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "History").waitFor();
    await close();
  });

  it("downloads a file with the button", async () => {
    const cookie = await depot.signedIn("button@example.com", "viewer", ORGANIZATION);
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/databases/bogon_ip");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download CSV (gzip)" }).click();
    const file = await readFile(await (await download).path());
    expect(gunzipSync(file).toString()).toContain("10.0.0.0/8");
    await close();
  });
});

/** Runs the commands in a shell, and returns the content of the file that they download. */
async function runSnippet(commands: string, file: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "dbdepot-snippet-"));
  try {
    await promisify(execFile)("sh", ["-ec", commands], { cwd: directory });
    return gunzipSync(await readFile(join(directory, file))).toString();
  } finally {
    await rm(directory, { recursive: true });
  }
}
