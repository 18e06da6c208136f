import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { createKey } from "../../server/src/domain/keys/keys.ts";
import { ALLOW_LOOPBACK, isSignedWith, Receiver } from "../../server/test/domain/webhooks/receiver.ts";
import { type Visitor, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

describe("webhooks", needs("Chromium"), () => {
  let depot: Depot;
  let visitor: Visitor;
  let receiver: Receiver;
  let secret: string;
  beforeAll(async () => {
    depot = await startDepot(ALLOW_LOOPBACK);
    receiver = await Receiver.start();
    visitor = await visit(depot.url, {
      cookie: await depot.signedIn("ada@example.com", "admin", ORGANIZATION),
    });
    await visitor.page.goto("/console/webhooks");
  });
  afterAll(async () => {
    await visitor?.close();
    await receiver?.close();
    await depot?.dispose();
  });

  /** Returns the secret in the dialog, and closes the dialog. */
  async function takeSecret(): Promise<string> {
    const { page } = visitor;
    const shown = await page.getByRole("dialog").locator("pre").innerText();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    return shown;
  }
  async function choose(action: string): Promise<void> {
    await visitor.page.getByRole("button", { name: /^Actions for http/ }).click();
    await visitor.page.getByRole("menuitem", { name: action }).click();
  }

  it("creates one with the events of the form, and shows its secret once", async () => {
    const { page } = visitor;
    await page.getByText("No webhooks yet").waitFor();
    await page.getByRole("button", { name: "Create webhook" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill("hooks.example.com");
    await dialog.getByRole("radio", { name: "Only some" }).check();
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    for (const text of ["Enter a URL that starts with https://", "Choose at least one"]) {
      await dialog.getByText(text).waitFor();
    }
    await dialog.getByLabel("URL").fill("https://10.0.0.1/");
    await dialog.getByRole("checkbox", { name: "Key created" }).check();
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    await dialog.getByText("must not point to a private address").waitFor();
    await dialog.getByLabel("URL").fill(receiver.url());
    await dialog.getByLabel("Description").fill("nightly import");
    await dialog.getByRole("button", { name: "Create webhook" }).click();
    secret = await takeSecret();
    const row = page.getByRole("row").filter({ hasText: receiver.url() });
    for (const text of ["Enabled", "Key created", "nightly import", "Never"]) await row.getByText(text).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it("sends a test event and shows how the receiver responded", async () => {
    const { page } = visitor;
    await choose("Deliveries and test");
    await page.getByText("No deliveries yet").waitFor();
    await page.getByRole("button", { name: "Send test event" }).click();
    await page.getByRole("row").filter({ hasText: "Test" }).getByText("Delivered").waitFor();
    await page.getByText("The receiver accepted it: HTTP 204.").waitFor();
    const [received] = receiver.received;
    expect(received && isSignedWith(secret, received)).toBe(true);
  });

  it("shows a failed event and sends it again", async () => {
    const { page } = visitor;
    receiver.respond = (_, response) => {
      response.writeHead(500, { "x-queue": "full" }).end("come back later");
      return undefined;
    };
    const { operator, service } = depot.running;
    const { organizations, webhooks } = service.services.store;
    const organizationId = (await organizations.byName(ORGANIZATION))?.id ?? "";
    const request = { organizationId, name: "new", scopes: [], cidrs: [], expires: null };
    await createKey(operator.operation(), request);
    await expect.poll(async () => (await webhooks.list({ organizationId }))[0]?.progress.attempts).toBe(1);
    await page.goto("/console/webhooks");
    await page.getByText("Failing", { exact: true }).waitFor();
    await page.getByRole("link", { name: receiver.url() }).click();
    await page.getByRole("row").filter({ hasText: "Key created" }).getByText("HTTP 500").waitFor();
    await page.getByRole("link", { name: "Key created" }).click();
    await page.getByRole("heading", { level: 1, name: "Key created" }).waitFor();
    // The address can be shared.
    await page.reload();
    await page.getByText("come back later").waitFor();
    for (const name of [/^webhook-signature v1,/, /^x-queue full/]) await page.getByRole("row", { name }).waitFor();
    await page.getByText('"type": "key.created"').waitFor();
    receiver.respond = () => 204;
    await page.getByRole("button", { name: "Send again: Key created" }).click();
    await page.getByText("The receiver accepted it: HTTP 204.").waitFor();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByText("attempt 2").waitFor();
    await page.getByRole("link", { name: "Webhooks" }).last().click();
    await expect.poll(async () => (await webhooks.list({ organizationId }))[0]?.progress.failingSince).toBeNull();
  });

  it("rotates the secret, edits, disables and enables it", async () => {
    const { page } = visitor;
    await choose("Rotate secret");
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    expect(await takeSecret()).not.toBe(secret);
    await choose("Edit");
    await page.getByRole("dialog").getByRole("radio", { name: "All" }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "All", exact: true }).waitFor();
    await choose("Disable");
    await page.getByText("Disabled", { exact: true }).waitFor();
    await choose("Enable");
    await page.getByText("Enabled", { exact: true }).waitFor();
  });

  it("is visible to operators on the organization's page", async () => {
    const organization = await depot.running.service.services.store.organizations.byName(ORGANIZATION);
    const operator = await visit(depot.url, {
      cookie: await depot.signedIn("olivia@example.net", "operator_viewer"),
    });
    await operator.page.goto(`/console/organizations/${organization?.id}?tab=webhooks`);
    await operator.page.getByText(receiver.url()).waitFor();
    expect(await operator.page.getByRole("button", { name: "Create webhook" }).count()).toBe(0);
    await operator.page.getByRole("button", { name: /^Actions for http/ }).click();
    await expect.poll(() => operator.page.getByRole("menuitem").allInnerTexts()).toEqual(["Deliveries"]);
    await operator.page.getByRole("menuitem").click();
    await operator.page.getByRole("link", { name: "Test" }).click();
    await operator.page.getByText('"type": "webhook.test"').waitFor();
    expect(await operator.page.getByRole("button", { name: /^Send/ }).count()).toBe(0);
    expect(operator.problems).toEqual([]);
    await operator.close();
  });

  it("deletes it after a confirmation", async () => {
    const { page } = visitor;
    await choose("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await choose("Delete");
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("No webhooks yet").waitFor();
    expect(visitor.problems).toEqual([]);
  });
});
