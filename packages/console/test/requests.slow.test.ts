import type { OperatorRequest } from "@dbdepot/contract/operator/requests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { createKey } from "../../server/src/domain/keys/keys.ts";
import { attemptAt } from "../../server/test/adapters/sql/samples.ts";
import { offerFor } from "../src/pages/requests/decisions.ts";
import { visit } from "./browser.ts";
import { startExampleDepot } from "./example-data.ts";

const NOW = new Date("2026-11-17T12:00:00Z");
const REQUEST = { standing: "unlicensed", licence_expires: null, message: "" } as OperatorRequest;

describe("the form that grants a request", () => {
  it.each([
    ["We would like to evaluate it for a month.", REQUEST, { redistribution: "evaluation", expires: "" }],
    ["A trial, please", REQUEST, { redistribution: "evaluation", expires: "" }],
    ["For our gateway", REQUEST, { starts: "2026-11-17", expires: "2027-11-17" }],
    [
      "The trial went well",
      { ...REQUEST, standing: "licensed", licence_expires: "2026-12-31T00:00:00Z" } as const,
      { starts: "2026-12-31", expires: "2027-12-31" },
    ],
  ])("offers what is asked for: %s", (message, request, offer) => {
    expect(offerFor({ ...request, message }, NOW)).toMatchObject(offer);
  });
});

describe("requests and refusals", needs("Chromium"), () => {
  let depot: Awaited<ReturnType<typeof startExampleDepot>>;
  beforeAll(async () => {
    depot = await startExampleDepot();
  });
  afterAll(() => depot?.dispose());

  it("are counted in the sidebar, and granted beside the customer's message", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: depot.cookies.operator });
    await page.goto("/console/requests");
    await page.getByRole("navigation").getByLabel("1 waiting").waitFor();
    await page.getByRole("button", { name: /^Grant vpn_ip/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Our gateway needs it for another year.").waitFor();
    await dialog.getByLabel("Reply").waitFor();
    // Nothing has to be scrolled into view.
    const hidden = dialog.evaluate((each) => each.scrollHeight - each.clientHeight);
    expect(await hidden).toBe(0);
    expect(problems).toEqual([]);
    await close();
  });

  it("show the exact cause of a refusal in a drawer that Back closes and a link opens", async () => {
    const { page, problems, close } = await visit(depot.url, { cookie: depot.cookies.admin });
    await page.goto("/console/history");
    await page.getByRole("row").filter({ hasText: "Wrong format" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The format is missing or unknown.").waitFor();
    await dialog.getByRole("button", { name: "Copy the request id" }).waitFor();
    const shared = page.url();
    expect(shared).toMatch(/\?attempt=/);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.goto(`${shared}&outcome=ok`);
    await dialog.getByText("The format is missing or unknown.").waitFor();
    await dialog.getByRole("link", { name: "nightly job" }).click();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("cell", { name: /^nightly job/ }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });

  it("offer what solves a refusal: access, the terms, or a new secret", async () => {
    const { store } = depot.running.service.services;
    const organization = (await store.organizations.list()).find(({ name }) => name === "Demo Evaluation");
    const organizationId = organization?.id ?? "";
    const named = { organizationId, name: "batch", scopes: ["db.download" as const], cidrs: [], expires: null };
    const { key } = await createKey(depot.running.operator.operation(), named);
    const refused = { organizationId, keyId: key.id };
    const attempts = {
      access: { outcome: "denied", cause: "not_licensed", datasetId: "hosting_provider_v1" },
      terms: { outcome: "denied", cause: "terms_not_accepted", datasetId: "tor_ip_v1" },
      rotation: { outcome: "unauthorized", cause: "rotated_out", datasetId: "tor_ip_v1" },
    } as const;
    const eva = await depot.signedIn("eva@example.org", "admin", "Demo Evaluation");
    const { page, problems, close } = await visit(depot.url, { cookie: eva });
    const open = async (name: keyof typeof attempts) => {
      const attempt = attemptAt(new Date(), { ...refused, ...attempts[name] });
      await store.attempts.append([attempt]);
      await page.goto(`/console/history?attempt=${attempt.id}`);
      return page.getByRole("dialog", { name: "Download attempt" });
    };
    const denied = await open("access");
    await denied.getByRole("button", { name: "Request access" }).click();
    const request = page.getByRole("dialog", { name: "Request access to Hosting providers" });
    await request.getByRole("button", { name: "Cancel" }).click();
    await denied.getByRole("link", { name: "hosting_provider_v1" }).click();
    await page.getByRole("heading", { level: 1, name: "Hosting providers" }).waitFor();
    await (await open("terms")).getByRole("link", { name: "Read and accept the terms" }).click();
    await page.getByRole("heading", { level: 1, name: "Terms" }).waitFor();
    await (await open("rotation")).getByRole("link", { name: "Rotate the key" }).click();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("cell", { name: /^batch/ }).waitFor();
    expect(problems).toEqual([]);
    await close();
  });
});
