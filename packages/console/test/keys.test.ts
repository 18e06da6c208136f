import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { call } from "../../../rigs/harness/service/customer.ts";
import { violationsOn } from "./accessibility.ts";
import { type Visitor, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

describe("keys", needs("Chromium"), () => {
  let depot: Depot;
  let visitor: Visitor;
  beforeAll(async () => {
    depot = await startDepot();
    visitor = await visit(depot.url, {
      cookie: await depot.signedIn("ada@example.com", "admin", ORGANIZATION),
    });
    await visitor.page.goto("/console/keys");
  });
  afterAll(async () => {
    await visitor?.close();
    await depot?.dispose();
  });

  const statusOf = async (key: string) =>
    (await call(`${depot.url}/api/v2/database/list`, { headers: { authorization: `Bearer ${key}` } })).status;
  /** Returns the secret in the dialog, and closes the dialog. */
  async function takeSecret(): Promise<string> {
    const { page } = visitor;
    const secret = await page.getByRole("dialog").locator("pre").innerText();
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    return secret;
  }
  async function choose(action: string): Promise<void> {
    await visitor.page.getByRole("button", { name: /^Actions for batch/ }).click();
    await visitor.page.getByRole("menuitem", { name: action }).click();
  }

  let first: string;
  it("creates one with the scopes, networks and last day of the form", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Create key" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("batch");
    await dialog.getByRole("checkbox", { name: "Manage keys" }).check();
    await dialog.getByLabel("Allowed networks").fill("127.0.0.0/8");
    await dialog.getByLabel("Allowed networks").press("Enter");
    await dialog.getByLabel("Last day").fill("2090-12-31");
    await dialog.getByRole("button", { name: "Create key" }).click();
    first = await takeSecret();
    expect(await statusOf(first)).toBe(200);
    const row = page.getByRole("row").filter({ hasText: "batch" });
    for (const text of ["Active", "Download", "Manage keys", "127.0.0.0/8", "Expires"]) {
      await row.getByText(text).first().waitFor();
    }
  });

  it("says what is wrong with the form", async () => {
    const { page } = visitor;
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("checkbox", { name: "Download" }).uncheck();
    await dialog.getByLabel("Allowed networks").fill("10.0.0.0/99");
    await dialog.getByLabel("Last day").fill("2020-01-01");
    await dialog.getByRole("button", { name: "Create key" }).click();
    for (const text of ["Enter a name", "Choose at least one", "10.0.0.0/99 is not an address", "This day is over"]) {
      await dialog.getByText(text).waitFor();
    }
    expect(await dialog.getByLabel("Allowed networks").getAttribute("aria-invalid")).toBe("true");
    expect(await dialog.getByLabel("Last day").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });

  let second: string;
  it("rotates one, and the old secret keeps working as long as was chosen", async () => {
    await choose("Rotate");
    await visitor.page.getByRole("radio", { name: "One hour" }).check();
    await visitor.page.getByRole("button", { name: "Rotate key" }).click();
    second = await takeSecret();
    expect(second).not.toBe(first);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  });

  it("shows until when the old secret works, and ends it now", async () => {
    const { page } = visitor;
    const row = page.getByRole("row").filter({ hasText: "batch" });
    await row.getByText(/^The old secret works until .+\d/).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // The whole row has one colour below the pointer.
    await row.hover();
    const colours = await row
      .getByRole("cell")
      .evaluateAll((cells) =>
        cells.map((cell): string => Reflect.get(globalThis, "getComputedStyle")(cell).backgroundColor),
      );
    expect(new Set(colours)).toEqual(new Set(["rgba(0, 0, 0, 0)"]));
    await row.getByRole("button", { name: "End it now: the old secret of batch" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it now" }).click();
    await page.getByText("The old secret of batch no longer works.").waitFor();
    await expect.poll(() => row.getByText("The old secret").count()).toBe(0);
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200]);
  });

  it("edits one, which keeps the time of day at which it expires", async () => {
    const headers = { authorization: `Bearer ${second}`, "content-type": "application/json" };
    const identity = async () => (await call(`${depot.url}/api/v1/iam/identity`, { headers })).json;
    const { apikey_id: id } = await identity();
    const body = JSON.stringify({ expires: "2090-12-30T12:00:00.000Z" });
    await call(`${depot.url}/api/v1/iam/apikeys/${id}`, { method: "PATCH", headers, body });
    await visitor.page.reload();
    await choose("Edit");
    await visitor.page.getByRole("dialog").getByLabel("Name").fill("batch renamed");
    await visitor.page.getByRole("button", { name: "Save" }).click();
    await visitor.page.getByText("batch renamed", { exact: true }).waitFor();
    await expect.poll(identity).toMatchObject({ name: "batch renamed", expires: "2090-12-30T12:00:00.000Z" });
  });

  it("revokes one after a confirmation, and hides it", async () => {
    const { page } = visitor;
    await choose("Revoke");
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect(await statusOf(second)).toBe(200);
    await choose("Revoke");
    await page.getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await expect.poll(() => statusOf(second)).toBe(401);
    await expect.poll(() => page.getByRole("cell", { name: "batch renamed" }).count()).toBe(0);
    await page.getByRole("switch", { name: "Show revoked and expired keys" }).check();
    await page.getByText("Revoked", { exact: true }).waitFor();
    expect(visitor.problems).toEqual([]);
  });
});
