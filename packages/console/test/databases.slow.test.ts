import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { withdrawBuild } from "../../server/src/domain/builds/rollback.ts";
import { clientPackages, PACKAGE } from "../../server/test/openapi/fixture.ts";
import { violationsOn } from "./accessibility.ts";
import { visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

describe("databases", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  let admin: string | undefined;
  let expired: string | undefined;
  beforeAll(async () => {
    depot = await startExampleDepot({ DBDEPOT_CLIENTS_DIR: await clientPackages() });
    ({ admin } = depot.cookies);
    expired = await depot.signedIn("expired@example.com", "viewer", "Demo Expired");
  });
  afterAll(() => depot?.dispose());

  const names = (page: Page) => page.locator("tbody a p:first-child").allInnerTexts();

  it("finds databases by a word, and keeps the search in the URL", async () => {
    const { page, close } = await visit(depot.url, { cookie: admin });
    await page.goto("/console/databases");
    await page.getByLabel("Search databases").fill("bogon asn");
    await expect.poll(() => names(page)).toEqual(["Bogon ASN"]);
    await page.reload();
    await expect.poll(() => names(page)).toEqual(["Bogon ASN"]);
    await page.getByLabel("Search databases").fill("nothing like this");
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect.poll(async () => (await names(page)).length).toBe(6);
    await close();
  });

  it("shows standing and what to do without a licence", async () => {
    const { page, close } = await visit(depot.url, { cookie: expired });
    await page.goto("/console/databases");
    await page.getByText("Not licensed", { exact: true }).last().waitFor();
    await page.getByRole("link", { name: /^VPN IP/ }).click();
    await page.getByText("Your licence has ended").waitFor();
    expect(await page.getByRole("link", { name: /^Download (?!a sample)/ }).count()).toBe(0);
    await close();
  });

  it("finds databases by column, and shows what an unlicensed one contains", async () => {
    const { page, close, problems } = await visit(depot.url, { cookie: expired });
    await page.goto("/console/databases");
    await page.getByLabel("Search databases").fill("forwardable");
    await expect.poll(() => names(page)).toEqual(["Bogon IP"]);
    const row = page.getByRole("row", { name: /^Bogon IP/ });
    await row.getByText("Column forwardable").waitFor();
    await row.getByText(/^25 rows · /).waitFor();
    await row.click();
    await page.getByText("Your organization has no licence for this database").waitFor();
    await page.getByRole("button", { name: "Request access" }).waitFor();
    await page.getByText("CSV (gzip)", { exact: true }).waitFor();
    await page.getByRole("region", { name: "Columns" }).getByText("RFC that reserves the network.").waitFor();
    await page.getByRole("region", { name: "Sample rows" }).getByText("10.0.0.0/8").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    expect(problems).toEqual([]);
    await close();
  });

  it("creates a key in place, which fills the examples", async () => {
    const { page, close, problems } = await visit(depot.url, { cookie: admin });
    await page.goto("/console/databases/vpn_ip");
    await page.getByText("dbdepot login --server").waitFor();
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Downloads of vpn_ip_v1");
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = await page.getByRole("status").locator("pre").innerText();
    expect(key).toMatch(/^dbd_/);
    const curl = page.getByRole("tabpanel", { name: "curl" }).locator("pre");
    expect(await curl.innerText()).toContain(`DBDEPOT_CLIENT_KEY="${key}"`);
    // The primary button and the examples are about the same format.
    expect(await curl.innerText()).toContain("format=mmdb");
    const [primary] = await page
      .getByRole("link", { name: /^Download / })
      .evaluateAll((links) =>
        links
          .filter((each) => (each as unknown as { dataset: { variant?: string } }).dataset.variant === "filled")
          .map((each) => each.textContent),
      );
    expect(primary).toBe("Download MMDB");
    expect(await violationsOn(page)).toEqual([]);
    await page.reload();
    await page.getByRole("button", { name: "Create a key" }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(problems).toEqual([]);
    await close();
  });

  it("tells viewers whom to ask for a key", async () => {
    const cookie = await depot.signedIn("vera@example.com", "viewer", "Demo Licensed");
    const { page, close } = await visit(depot.url, { cookie });
    await page.goto("/console/databases/vpn_ip");
    await page.getByText("Ask an admin of Demo Licensed for one.").waitFor();
    await close();
  });

  it("shows rows and sizes of the newest build and of its sample", async () => {
    const { page, close } = await visit(depot.url, { cookie: admin });
    await page.goto("/console/databases");
    const vpn = page.getByRole("row", { name: /^VPN IP/ });
    await vpn.getByText(/^27 rows · [12]\.\d+ kB$/).waitFor();
    await vpn.getByText(/^Sample: \d+ rows · [\d.]+ (bytes|kB)$/).waitFor();
    expect(await page.getByText(/^Sample: /).count()).toBe(2);
    await close();
  });

  it("looks up addresses in the MMDB, and in the sample without a licence", async () => {
    const { page, close } = await visit(depot.url, { cookie: admin });
    await page.goto("/console/databases/bogon_ip");
    await page.getByRole("tab", { name: "Look up" }).click();
    await page.getByLabel("IP address").fill("100.64.1.2");
    await page.keyboard.press("Enter");
    await page.getByText("100.64.0.0/10").waitFor();
    expect(JSON.parse(await page.locator("pre").innerText())).toMatchObject({ rfc: "RFC 6598" });
    await page.getByLabel("IP address").fill("8.8.8.8");
    await page.keyboard.press("Enter");
    await page.getByText("8.8.8.8 has no record.").waitFor();
    await page.getByLabel("IP address").fill("example.com");
    await page.keyboard.press("Enter");
    await page.getByText(/"example.com" is not an IP address/).waitFor();
    await page.getByRole("tab", { name: "Builds" }).click();
    const current = page.getByRole("row").filter({ hasText: "Current" });
    await current.getByText("25", { exact: true }).waitFor();
    await current.getByRole("button", { name: /^Details/ }).click();
    const details = page.getByRole("dialog");
    await details.getByRole("row", { name: /^Key id [0-9A-F]{16}/ }).waitFor();
    await details.getByRole("row", { name: /^Sequence \d+$/ }).waitFor();
    const command = await details.locator("pre").innerText();
    expect(command).toMatch(/^minisign -V -m manifest\.json -P RW\S+$/m);
    expect(command).toContain(`${depot.url}/api/v2/database/manifest?id=bogon_ip_v`);
    await close();

    const unlicensed = await visit(depot.url, { cookie: expired });
    await unlicensed.page.goto("/console/databases/vpn_ip?version=1");
    await unlicensed.page.getByText("the records of the sample").waitFor();
    await unlicensed.close();
  });

  it("has a snippet for each kind of client", async () => {
    const { page, close } = await visit(depot.url, { cookie: admin });
    await page.goto("/console/databases/bogon_ip?version=1");
    for (const client of ["curl", "dbdepot sync", "Node.js", "Python", "Go", "Docker", "geoipupdate"]) {
      await page.getByRole("tab", { name: client, exact: true }).click();
      const text = await page.locator("pre").innerText();
      expect(text).toContain(depot.url);
      expect(text).toContain("bogon_ip_v1");
    }
    // The browser runs on Linux, and the service offers a package for it.
    await page.getByRole("tab", { name: "dbdepot sync", exact: true }).click();
    for (const [system, file, install] of [
      ["Debian, Ubuntu", PACKAGE.name, "sudo dpkg --install dbdepot_amd64.deb"],
      ["npm", "dbdepot-client.tgz", "npm install --global"],
    ] as const) {
      await page.getByText(system, { exact: true }).click();
      const digest = await (await fetch(`${depot.url}/download/${file}.sha256`)).text();
      await page.getByText(digest.split(" ")[0] ?? "", { exact: true }).waitFor();
      expect(await page.locator("pre").innerText()).toContain(install);
    }
    await close();
  });

  it("shows the server's error and loads again on request", async () => {
    const { page, close } = await visit(depot.url, { cookie: admin });
    await page.clock.install();
    let requests = 0;
    await page.route(
      "**/api/v2/database/list",
      (route) => {
        requests++;
        return route.abort();
      },
      { times: 3 },
    );
    await page.goto("/console/databases");
    for (const attempt of [1, 2]) {
      await expect.poll(() => requests).toBe(attempt);
      await page.clock.fastForward(attempt * 1000);
    }
    await page.getByText("dbdepot cannot be reached.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("link", { name: /^Bogon IP/ }).waitFor();
    await close();
  });

  // Changes the data, so it comes last.
  it("opens a family on the newest version that has a build", async () => {
    const { operator, service } = depot.running;
    await withdrawBuild(operator.operation(), service.services.register.offer("bogon_ip_v2")?.build?.id ?? "");
    await operator.settle();
    for (const [cookie, path] of [
      [admin, "/console/databases/bogon_ip"],
      [depot.cookies.operator, "/console/catalogue/bogon_ip"],
    ] as const) {
      const { page, close } = await visit(depot.url, { cookie });
      await page.goto(path);
      await page.getByRole("radio", { name: "Version 1", checked: true }).waitFor({ state: "attached" });
      await close();
    }
  });
});
