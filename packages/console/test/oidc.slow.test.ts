import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { type OidcServer, startOidcServer } from "../../../rigs/harness/servers/oidc-server.ts";
import { violationsOn } from "./accessibility.ts";
import { visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

describe("signing in with OpenID Connect", needs("Chromium"), () => {
  let provider: OidcServer;
  let depot: Depot;
  beforeAll(async () => {
    provider = await startOidcServer({
      ada: { email: "ada@example.com", email_verified: true },
      stranger: { email: "stranger@example.com", email_verified: true },
    });
    depot = await startDepot(provider.settings);
    provider.register(depot.url);
  });
  afterAll(async () => {
    await depot?.dispose();
    await provider?.[Symbol.asyncDispose]();
  });

  async function signInAtProvider(page: Page, name: string): Promise<void> {
    await page.getByRole("link", { name: "Continue with Example ID" }).click();
    await page.getByPlaceholder("Enter any login").fill(name);
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
  }

  it("leads through the provider to the page that was asked for", async () => {
    await depot.invite("ada@example.com", "admin", ORGANIZATION);
    const { page, problems, close } = await visit(depot.url);
    await page.goto("/console/keys");
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await signInAtProvider(page, "ada");
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/console/keys");
    expect(problems).toEqual([]);
    await close();
  });

  it("accepts an invitation", async () => {
    const { page, close } = await visit(depot.url);
    await page.goto(await depot.invite("stranger@example.com", "viewer", ORGANIZATION));
    await signInAtProvider(page, "stranger");
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    await close();
  });

  it("explains on the sign-in page why it failed", async () => {
    const { page, close } = await visit(depot.url);
    await page.goto("/console/sign-in");
    await signInAtProvider(page, "nobody");
    await page.getByRole("alert").getByText("The sign-in service hasn't verified your e-mail address.").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(`${depot.url}/api/console/oidc/callback?code=x&state=y`);
    await page.getByRole("alert").getByText("Signing in didn't work").waitFor();
    await close();
  });
});
