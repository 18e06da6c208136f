import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { withCsvgzSize } from "../../server/src/domain/builds/publishing/recompress.ts";
import { type Exported, exported } from "../../server/test/routes/operator/exported.ts";
import { visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";

describe("publishing", needs("Chromium"), () => {
  let depot: Depot;
  let cookie: string | undefined;
  beforeAll(async () => {
    depot = await startDepot();
    await depot.running.operator.addDatabase("relay_ip_v1");
    cookie = await depot.signedIn("olivia@example.net", "operator");
  });
  afterAll(() => depot?.dispose());

  /** The files as `dbdepot-server export` names them. */
  function named({ document, files }: Exported) {
    const file = (name: string, buffer: Buffer) => ({ name, mimeType: "application/octet-stream", buffer });
    return [
      file("relay_ip_v1.metadata.json", document),
      file("relay_ip_v1.csv.gz", files.csvgz ?? Buffer.of()),
      file("relay_ip_v1.mmdb", files.mmdb ?? Buffer.of()),
    ];
  }

  async function choose(page: Page, files: ReturnType<typeof named>): Promise<void> {
    await page.goto("/console/catalogue/relay_ip");
    await page.getByRole("button", { name: "Publish a build" }).click();
    await page.getByRole("dialog").locator("input[type=file][multiple]").setInputFiles(files);
    await page.getByRole("button", { name: "Upload and check" }).click();
  }

  const builds = () => depot.running.service.services.store.builds.list("relay_ip_v1");

  it("uploads a build, shows its checks and publishes it, and a customer's key downloads it", async () => {
    const { operator } = depot.running;
    const customer = await operator.customer("Relay customer");
    await operator.grant("Relay customer", "relay_ip");
    const { page, problems, close } = await visit(depot.url, { cookie });
    await choose(page, named(await exported("relay_ip_v1", { rows: 40 })));
    await page.getByText("All checks passed").waitFor();
    await page.getByText("40 rows, 2 columns").waitFor();
    expect((await customer.download("relay_ip_v1", "mmdb")).status).toBe(503);
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("relay_ip_v1 now serves the new build.").waitFor();

    const next = await exported("relay_ip_v1", { rows: 50, updated: "2026-11-02" });
    await choose(page, named(next));
    const comparison = page.getByRole("region", { name: "Differences from the current build" });
    await comparison.getByRole("row", { name: "Rows 40 50 +25 %" }).waitFor();
    await page.getByText("The columns are the same.").waitFor();
    await page.getByText("10 rows added, 0 removed, 0 changed; 40 stayed the same.").waitFor();
    await page.getByRole("region", { name: "Added rows" }).getByText("10.0.49.0/24").waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("row").nth(2).getByText("Earlier").waitFor();
    await page
      .getByRole("row")
      .nth(1)
      .getByRole("button", { name: /^Show by/ })
      .click();
    await page.getByRole("definition").getByText("olivia@example.net").waitFor();

    const { headers } = await customer.download("relay_ip_v1", "mmdb");
    const bytes = Buffer.from(await (await fetch(headers.get("location") ?? "")).arrayBuffer());
    expect(bytes.equals(next.files.mmdb ?? Buffer.of())).toBe(true);
    const digest = createHash("sha256").update(bytes).digest("base64");
    expect(headers.get("repr-digest")).toBe(`sha-256=:${digest}:`);
    expect(problems).toEqual([]);
    await close();
  });

  it("publishes a plain CSV, and shows operators and customers which rows changed", async () => {
    const { operator } = depot.running;
    await operator.addDatabase("plain_ip_v1");
    const { organizationId } = await operator.customer("Plain customer");
    await operator.grant("Plain customer", "plain_ip");
    const { page, problems, close } = await visit(depot.url, { cookie });
    const publish = async (csv: string) => {
      await page.goto("/console/catalogue/plain_ip");
      await page.getByRole("button", { name: "Publish a build" }).click();
      await page.getByText("A plain CSV").click();
      const file = { name: "networks.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
      await page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);
      await page.getByRole("button", { name: "Upload and export" }).click();
    };
    await publish("network,country\n10.0.0.0/33,DE\n");
    await page.getByRole("alert").getByText("10.0.0.0/33").waitFor();
    await publish("network,country\n10.0.0.0/24,DE\n10.0.1.0/24,FR\n");
    await page.getByText("All checks passed").waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByText("plain_ip_v1 now serves the new build.").waitFor();
    await publish("network,country\n10.0.0.0/24,AT\n10.0.1.0/24,FR\n");
    await page.getByText("0 rows added, 0 removed, 1 changed; 1 stayed the same.").waitFor();
    const changed = page.getByRole("region", { name: "Changed rows" });
    await changed.getByRole("row", { name: "10.0.0.0/24 DE AT" }).waitFor();
    await page.getByRole("button", { name: "Publish", exact: true }).click();
    await page.getByRole("button", { name: "0 added, 0 removed, 1 changed" }).click();
    await page.getByRole("dialog").getByText("Changed: country in 1 row.").waitFor();
    expect(problems).toEqual([]);
    await close();

    const customer = await visit(depot.url, {
      cookie: await depot.signedIn("carla@example.net", "viewer", organizationId),
    });
    await customer.page.goto("/console/databases/plain_ip?tab=builds");
    await customer.page.getByRole("button", { name: "0 added, 0 removed, 1 changed" }).click();
    await customer.page.getByRole("dialog").getByRole("row", { name: "10.0.0.0/24 DE AT" }).waitFor();
    const [rows] = await Promise.all([
      customer.page.waitForEvent("download"),
      customer.page.getByRole("link", { name: "Download the changed rows" }).click(),
    ]);
    expect(await text(await rows.createReadStream())).toBe("op,network,country\nchanged,10.0.0.0/24,AT\n");
    await customer.page.getByRole("button", { name: "Close" }).click();
    // While a dialog is open, what is behind it has no role.
    await expect.poll(() => customer.page.getByRole("link", { name: /^Download the CSV .gzip. of/ }).count()).toBe(2);
    expect(customer.problems).toEqual([]);
    await customer.close();
  });

  it("asks before it publishes a build that looks like a mistake", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    await choose(page, named(await exported("relay_ip_v1", { rows: 3, updated: "2026-11-03" })));
    await page.getByText("This looks like a mistake").waitFor();
    await page.getByText("the new build has 3 rows, 94 % fewer than the current one, which has 50 rows").waitFor();
    const publish = page.getByRole("button", { name: "Publish", exact: true });
    expect(await publish.isDisabled()).toBe(true);
    await page.getByLabel("Publish it anyway").check();
    await publish.click();
    await page.getByText("relay_ip_v1 now serves the new build.").waitFor();
    expect((await builds())[0]).toMatchObject({ entries: 3, state: "published" });
    await close();
  });

  it("says before it publishes that a file gets no patches, and what to do", async () => {
    const { page, close } = await visit(depot.url, { cookie });
    const before = (await builds()).length;
    const { document, files } = await exported("relay_ip_v1", { rows: 9000, updated: "2026-11-03" });
    const csvgz = gzipSync(gunzipSync(files.csvgz ?? ""), { level: 0 });
    await choose(page, named({ document: await withCsvgzSize(document, csvgz.length), files: { ...files, csvgz } }));
    await page.getByText(/customers will get no patches of this file.*recompression of relay_ip_v1/).waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(async () => (await builds()).length).toBe(before);
    await close();
  });

  it("lists the faults of a build and leaves nothing behind", async () => {
    const before = await builds();
    const { page, close } = await visit(depot.url, { cookie });
    const made = await exported("relay_ip_v1", { rows: 5, updated: "2026-11-04" });
    const { csvgz = Buffer.of() } = made.files;
    const broken = { ...made, files: { ...made.files, csvgz: Buffer.alloc(csvgz.length, 1) } };
    await choose(page, named(broken));
    await page.getByText("This build can't be published").waitFor();
    expect(await page.getByRole("button", { name: "Publish", exact: true }).count()).toBe(0);
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(builds).toEqual(before);

    await choose(page, named({ ...made, files: { ...made.files, csvgz: csvgz.subarray(1) } }));
    await page.getByText("Choose files of the same build").waitFor();
    await close();
  });

  it("resumes an upload after the connection was lost, and deletes it if the page is closed", async () => {
    const before = await builds();
    const { page, close } = await visit(depot.url, { cookie });
    await page.route("**/files/mmdb*", (route) => route.abort(), { times: 1 });
    const made = await exported("relay_ip_v1", { rows: 4, updated: "2026-11-05" });
    await choose(page, named(made));
    await page.getByText("The upload has stopped").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("All checks passed").waitFor();
    expect(await builds()).toHaveLength(before.length + 1);
    await page.goto("about:blank");
    await expect.poll(builds).toEqual(before);
    await close();
  });
});
