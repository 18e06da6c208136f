import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { violationsOn } from "./accessibility.ts";
import { visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";
import { checkDialog } from "./layout-pages.ts";

/** Chromium's own authenticator in software, which confirms everything. The browser uses it as soon as a page offers passkeys. */
async function plugInAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasUserVerification: true,
    isUserVerified: true,
  } as const;
  const added = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, hasResidentKey: true },
  });
  /** Whether the fingerprint is right. */
  const verify = (isUserVerified: boolean) =>
    session.send("WebAuthn.setUserVerified", { authenticatorId: added.authenticatorId, isUserVerified });
  /** Whether somebody touches it. */
  const touch = (enabled: boolean) =>
    session.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId: added.authenticatorId, enabled });
  return { verify, touch };
}

describe("two-factor sign-in", needs("Chromium"), () => {
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
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: /^Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  }

  it("adds a passkey, signs in with it and with a recovery code, changes the name, and removes it", async () => {
    await depot.signedIn("ada@example.com", "viewer", ORGANIZATION);
    const { page, problems, close } = await visit(url);
    const { touch } = await plugInAuthenticator(page);
    await signIn(page, "ada@example.com");
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();

    await page.goto("/console/account");
    await page.getByLabel("Name", { exact: true }).fill("Ada Lovelace");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Account menu of Ada Lovelace" }).waitFor();
    await page.getByLabel("Name of the passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByLabel("Your password").fill("wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("The password is wrong.").waitFor();
    await checkDialog(page);
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    const dialog = page.getByRole("dialog", { name: "Your recovery codes" });
    const codes = (await dialog.locator("pre").innerText()).trim().split("\n");
    expect(codes).toHaveLength(10);
    await checkDialog(page);
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByText("10 recovery codes left").waitFor();
    expect(await violationsOn(page)).toEqual([]);

    await touch(false);
    await signOut(page);
    await signIn(page, "ada@example.com");
    await page.getByRole("heading", { level: 1, name: "Use your passkey" }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await touch(true);
    await page.getByRole("button", { name: "Use passkey" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();

    await touch(false);
    await signOut(page);
    await signIn(page, "ada@example.com");
    await page.getByRole("button", { name: "Use a recovery code instead" }).click();
    await page.getByLabel("Recovery code").fill("aaaa-bbbb-cccc-dddd");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("This is wrong or was already used").waitFor();
    await page.getByLabel("Recovery code").fill(codes[0] ?? "");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();

    await page.goto("/console/account");
    await page.getByText("9 recovery codes left").waitFor();
    await touch(true);
    await page.getByRole("button", { name: "New recovery codes" }).click();
    await page.getByRole("button", { name: "Use a passkey instead" }).click();
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByText("10 recovery codes left").waitFor();
    await page.getByRole("button", { name: "Remove Laptop" }).click();
    await checkDialog(page);
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await page.getByText("The passkey has been removed.").waitFor();
    await page.getByText("recovery codes left").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
    await close();
  });

  it("signs in with a passkey alone, from the button and from what the browser offers", async () => {
    await depot.signedIn("grace@example.com", "viewer", ORGANIZATION);
    const { page, problems, close } = await visit(url);
    const authenticator = await plugInAuthenticator(page);
    await signIn(page, "grace@example.com");
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    await page.goto("/console/account");
    await page.getByLabel("Name of the passkey").fill("Laptop");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "I have stored them" }).click();
    await page.getByText("Not used yet, signs in without a password").waitFor();

    // A person who cancels can try again, and the reason is shown.
    await authenticator.verify(false);
    await signOut(page);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("It was cancelled or took too long. Try again.").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await authenticator.verify(true);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
    await page.goto("/console/account");
    await page.getByText("signs in without a password").waitFor();
    await page.getByText("Last used").waitFor();

    // The browser offers the passkey in the e-mail field, where this authenticator accepts it.
    await page.getByRole("button", { name: /^Account menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Databases" }).waitFor();
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
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Continue" }).click();
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
