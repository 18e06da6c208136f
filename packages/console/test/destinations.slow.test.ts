import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { CustomerBucket } from "../../server/test/domain/destinations/customer-bucket.ts";
import { ALLOW_LOOPBACK } from "../../server/test/domain/webhooks/receiver.ts";
import { bucketPolicy, permissions, trustPolicy } from "../src/pages/destinations/policies.ts";
import { type Visitor, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

const server = inject("s3");

describe("destinations", needs("Chromium", "Ceph"), () => {
  let directory: string;
  let depot: Depot;
  let bucket: CustomerBucket;
  let visitor: Visitor;
  let operator: Visitor;
  let organizationId: string;
  beforeAll(async () => {
    if (!server) return;
    directory = await mkdtemp(join(tmpdir(), "dbdepot-secrets-"));
    const keyFile = join(directory, "secrets.key");
    await writeFile(keyFile, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    depot = await startDepot({ ...ALLOW_LOOPBACK, DBDEPOT_SECRETS_KEY_FILE: keyFile });
    bucket = await CustomerBucket.create(server);
    organizationId = (await depot.running.service.services.store.organizations.byName(ORGANIZATION))?.id ?? "";
    visitor = await visit(depot.url, { cookie: await depot.signedIn("ada@example.com", "admin", ORGANIZATION) });
    operator = await visit(depot.url, { cookie: await depot.signedIn("olivia@example.net", "operator") });
  });
  afterAll(async () => {
    await visitor?.close();
    await operator?.close();
    await depot?.dispose();
    bucket?.close();
    if (directory) await rm(directory, { recursive: true });
  });

  async function choose(action: string): Promise<void> {
    await visitor.page.getByRole("button", { name: `Actions for s3://${bucket.name}` }).click();
    await visitor.page.getByRole("menuitem", { name: action }).click();
  }

  it("are explained until an operator allows them", async () => {
    const { page } = visitor;
    await page.goto("/console/destinations");
    await page.getByText("Deliveries to buckets are not allowed for this organization. Ask your vendor").waitFor();
    expect(await page.getByRole("button", { name: "Create destination" }).count()).toBe(0);
    await operator.page.goto(`/console/organizations/${organizationId}?tab=limits`);
    await operator.page.getByRole("switch", { name: /^Put new builds/ }).click();
    const { destinations } = depot.running.service.services.store;
    await expect.poll(async () => (await destinations.permission(organizationId))?.allowed).toBeInstanceOf(Date);
    await page.reload();
    await page.getByText("No destinations yet").waitFor();
  });

  it("creates one with a key, and names the fields that are wrong", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Create destination" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Bucket", { exact: true }).fill("No Bucket");
    await dialog.getByLabel("Prefix").fill("/from/");
    await dialog.getByRole("button", { name: "Create destination" }).click();
    for (const text of [
      "Enter the name of the bucket",
      "between single slashes",
      "Enter a region",
      "Enter the secret",
    ]) {
      await dialog.getByText(text).waitFor();
    }
    await dialog.getByLabel("Bucket", { exact: true }).fill(bucket.name);
    await dialog.getByLabel("Prefix").fill("");
    await dialog.getByLabel("Region").fill("us-east-1");
    await dialog.getByLabel("Endpoint").fill(bucket.endpoint);
    await dialog.getByLabel("Id of the key").fill(bucket.credentials.accessKeyId);
    await dialog.getByLabel("Secret of the key").fill("wrong-secret");
    await dialog.getByLabel("Families").fill("bogon_ip");
    await dialog.getByRole("checkbox", { name: "CSV" }).uncheck();
    await dialog.getByText(`arn:aws:s3:::${bucket.name}/*`).waitFor();
    await dialog.getByRole("button", { name: "Create destination" }).click();
    await page.getByRole("heading", { level: 1, name: `s3://${bucket.name}` }).waitFor();
    for (const text of ["Not verified", "An access key: customer", "bogon_ip", "2 builds of each database"]) {
      await page.getByText(text).first().waitFor();
    }
    expect(await page.content()).not.toContain("wrong-secret");
  });

  it("says which step of a test fails, and delivers once all succeed", async () => {
    const { page } = visitor;
    const test = page.getByRole("button", { name: "Test" });
    await test.click();
    await page.getByRole("row", { name: /^Proof Fails.*Access key: / }).waitFor();
    await choose("Edit");
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Secret of the key").inputValue()).toBe("");
    await dialog.getByLabel("Secret of the key").fill(bucket.credentials.secretAccessKey);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await test.click();
    await page.getByRole("row", { name: /^Proof Fails.*Proof of ownership: / }).waitFor();
    const proof = (name: string) => page.getByRole("row", { name: new RegExp(`^${name} dbdepot-`) }).locator("code");
    await bucket.put(await proof("Name").innerText(), await proof("Content").innerText());
    await test.click();
    for (const step of ["Proof", "Write", "Read", "Delete"]) {
      await page.getByRole("row", { name: `${step} Works` }).waitFor();
    }
    expect(await page.getByText("Prove that the bucket is yours").count()).toBe(0);
    const delivery = page.getByRole("row").filter({ hasText: "bogon_ip_v" }).filter({ hasText: "Delivered" });
    await delivery
      .getByText(/^2 files, /)
      .first()
      .waitFor();
  });

  it("pauses, enables and edits it without its secret", async () => {
    const { page } = visitor;
    await choose("Pause");
    await page.getByText("by hand").waitFor();
    await choose("Enable");
    await page.getByText("Enabled", { exact: true }).waitFor();
    await choose("Edit");
    await page.getByLabel("Builds to keep").fill("5");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("5 builds of each database").waitFor();
  });

  it("is shown to people who may not change it, and not to viewers", async () => {
    const reader = await visit(depot.url, { cookie: await depot.signedIn("liv@example.net", "operator_viewer") });
    await reader.page.goto(`/console/organizations/${organizationId}?tab=destinations`);
    await reader.page.getByRole("link", { name: `s3://${bucket.name}` }).click();
    await reader.page.getByText("5 builds of each database").waitFor();
    await reader.page.getByRole("row").filter({ hasText: "Delivered" }).first().waitFor();
    for (const name of ["Test", /^Actions for/])
      expect(await reader.page.getByRole("button", { name }).count()).toBe(0);
    await reader.page.goto(`/console/organizations/${organizationId}?tab=limits`);
    expect(await reader.page.getByRole("switch", { name: /^Put new builds/ }).isDisabled()).toBe(true);
    expect(reader.problems).toEqual([]);
    await reader.close();
    const viewer = await visit(depot.url, { cookie: await depot.signedIn("vic@example.com", "viewer", ORGANIZATION) });
    await viewer.page.goto("/console/destinations");
    await viewer.page.getByRole("heading", { level: 1, name: "Not available to you" }).waitFor();
    await viewer.close();
  });

  it("says that nothing is delivered once operators stop it", async () => {
    await operator.page.getByRole("switch", { name: /^Put new builds/ }).click();
    const { destinations } = depot.running.service.services.store;
    await expect.poll(async () => (await destinations.permission(organizationId))?.allowed).toBeNull();
    await visitor.page.goto("/console/destinations");
    await visitor.page.getByText("Nothing is delivered").waitFor();
    expect(operator.problems).toEqual([]);
  });

  it("deletes it after a confirmation, and keeps the files", async () => {
    const { page } = visitor;
    await page.getByRole("link", { name: `s3://${bucket.name}` }).click();
    await choose("Delete");
    await page.getByRole("button", { name: "Cancel" }).click();
    await choose("Delete");
    await page.getByRole("button", { name: "Delete destination" }).click();
    await page.getByText("Deliveries are not available").waitFor();
    expect((await bucket.keys()).some((key) => key.endsWith("latest.json"))).toBe(true);
    expect(visitor.problems).toEqual([]);
  });
});

describe("the policies of destinations", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/customers/deliveries.md"), "utf8");
  const documented = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, json = ""]) => JSON.parse(json));
  const policies = documented.filter(({ Version }) => Version !== undefined);
  const place = { bucket: "acme-data", prefix: "dbdepot" };
  const identity = { principal: "arn:aws:iam::123456789012:user/dbdepot", external_id: "dbdepot-..." };

  it("are those of the guide", () => {
    expect([bucketPolicy(place, identity), trustPolicy(identity)]).toEqual(policies);
  });

  it("cover the whole bucket if there is no prefix, and have no principal for a role", () => {
    expect(permissions({ ...place, prefix: "" })).toMatchObject({
      Statement: [{ Resource: "arn:aws:s3:::acme-data/*" }, { Resource: "arn:aws:s3:::acme-data" }],
    });
    expect(JSON.stringify(permissions(place))).not.toContain("Principal");
  });
});
