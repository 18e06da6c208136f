import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { violationsOn } from "./accessibility.ts";
import { hasBrowser, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

/** Chromium's own authenticator in software, which confirms everything. */
async function plugInAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasUserVerification: true,
    isUserVerified: true,
  } as const;
  await session.send("WebAuthn.addVirtualAuthenticator", { options: { ...options, hasResidentKey: true } });
}

describe.skipIf(!hasBrowser)("two-factor sign-in", () => {
  let depot: Depot;
  let url: string;
  beforeAll(async () => {
    depot = await startDepot({ DBDEPOT_REQUIRE_TWO_FACTOR: "operators" });
    // Browsers allow no passkeys for IP addresses.
    url = depot.url.replace("127.0.0.1", "localhost");
  });
  afterAll(() => depot?.dispose());

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto("/console/sign-in");
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: /^Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  }

  it("adds a passkey, signs in with it and with a recovery code, changes the name, and removes it", async () => {
    await depot.signedIn("ada@example.com", "viewer", ORGANIZATION);
    const { page, problems, close } = await visit(url);
    await plugInAuthenticator(page);
    await signIn(page, "ada@example.com");
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();

    await page.goto("/console/account");
    await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Account menu of Ada Lovelace" }).waitFor();
    await page.getByLabel("Name of the passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    const dialog = page.getByRole("dialog", { name: "Your recovery codes" });
    const codes = (await dialog.locator("pre").innerText()).trim().split("\n");
    expect(codes).toHaveLength(10);
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByText("10 recovery codes left").waitFor();
    expect(await violationsOn(page)).toEqual([]);

    await signOut(page);
    await signIn(page, "ada@example.com");
    await page.getByRole("heading", { level: 1, name: "Use your passkey" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Use passkey" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();

    await signOut(page);
    await signIn(page, "ada@example.com");
    await page.getByRole("button", { name: "Use a recovery code instead" }).click();
    await page.getByLabel("Recovery code").fill("aaaa-bbbb-cccc-dddd");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This is wrong or was already used").waitFor();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();

    await page.goto("/console/account");
    await page.getByText("9 recovery codes left").waitFor();
    await page.getByRole("button", { name: "Remove Laptop" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await page.getByText("The passkey has been removed.").waitFor();
    await page.getByText("recovery codes left").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await close();
  });

  it("makes an operator add a passkey first, who can then reset that of others", async () => {
    await depot.signedIn("olivia@example.net", "operator");
    await depot.signedIn("bob@example.com", "viewer", ORGANIZATION);
    const { page, close } = await visit(url);
    await plugInAuthenticator(page);
    await signIn(page, "olivia@example.net");
    await page.getByRole("heading", { level: 1, name: "Add a passkey" }).waitFor();
    await page.goto("/console/accounts");
    await page.getByRole("heading", { level: 1, name: "Add a passkey" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel("Name of the passkey").fill("Security key");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.goto("/console/accounts");
    await page.getByRole("button", { name: "Actions for bob@example.com" }).click();
    await page.getByRole("menuitem", { name: "Reset second factor" }).click();
    await page.getByRole("button", { name: "Reset second factor" }).click();
    await page.getByText("bob@example.com can sign in with the password alone.").waitFor();
    await close();
  });
});
