import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { PASSWORD } from "../../server/test/routes/console/person.ts";
import { codeRequest, discover, pollDevice, startDevice } from "../../server/test/routes/oauth/program.ts";
import { violationsOn } from "./accessibility.ts";
import { DESKTOP, type Visitor, visit } from "./browser.ts";
import { type Depot, ORGANIZATION, startDepot } from "./depot.ts";

describe("programs that sign in", needs("Chromium"), () => {
  let depot: Depot;
  let visitor: Visitor;
  beforeAll(async () => {
    depot = await startDepot();
    await depot.signedIn("vic@example.com", "viewer", ORGANIZATION);
    visitor = await visit(depot.url);
  });
  afterAll(async () => {
    await visitor?.close();
    await depot?.dispose();
  });

  it("show a code, which a person approves after signing in", async () => {
    const { page } = visitor;
    const scope = "db.download apikeys.manage";
    const { device_code, user_code } = await startDevice(depot.url, { scope, device_name: "build-7" });
    await page.goto(`/console/device?user_code=${user_code}`);
    await page.getByLabel("E-mail address").fill("vic@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Sign in dbdepot?" }).waitFor();
    for (const text of [
      "Only continue if you started this yourself",
      user_code,
      "build-7",
      "127.0.0.1",
      "The same network as this browser",
      ORGANIZATION,
      "List and download databases",
      "Not included, because your role can't",
      "You are signed in as vic@example.com.",
    ]) {
      await page.getByText(text).first().waitFor();
    }
    expect(await violationsOn(page)).toEqual([]);
    // Nobody has to scroll to deny it.
    const { y = 0, height = 0 } = (await page.getByRole("button", { name: "Deny" }).boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(DESKTOP.height);
    await page.getByRole("combobox", { name: "How long" }).click();
    await page.getByRole("option", { name: "7 days" }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "You're done" }).waitFor();
    const { json } = await pollDevice(depot.url, device_code);
    expect(json).toMatchObject({ scope: "db.download", expires_in: 7 * 24 * 60 * 60 });
  });

  it("are denied, and a code that is wrong can be entered again", async () => {
    const { page } = visitor;
    const { device_code, user_code } = await startDevice(depot.url);
    await page.goto("/console/device");
    await page.getByLabel("Code").fill("BCDFG-HJKLM");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("This code is wrong, has expired or was already used").waitFor();
    await page.getByLabel("Code").fill(user_code.toLowerCase());
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("heading", { name: "Denied" }).waitFor();
    depot.running.clock.advance("5 seconds");
    expect((await pollDevice(depot.url, device_code)).json.error).toBe("access_denied");
  });

  it("open the consent page, which returns to them with a code", async () => {
    const { page } = visitor;
    const { url } = await codeRequest(await discover(depot.url), { scope: "db.download" });
    const returned = page.waitForRequest((request) => request.url().startsWith("http://127.0.0.1:51004/callback"));
    await page.route("http://127.0.0.1:51004/**", (route) => route.fulfill({ body: "signed in" }));
    await page.goto(url.href);
    await page.getByText("Only continue if you started this yourself").waitFor();
    await page.getByText("127.0.0.1:51004").waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Approve" }).click();
    const answer = new URL((await returned).url()).searchParams;
    expect(answer.get("state")).toBe("12345678901234567890");
    expect(answer.get("iss")).toBe(depot.url);
    expect(answer.get("code")).toMatch(/^[\w-]{43}$/);
    await page.getByText("signed in").waitFor();
  });

  it("act for an organization that an operator chooses", async () => {
    const cookie = await depot.signedIn("op@example.com", "operator");
    const { page, problems } = await visit(depot.url, { cookie });
    const { device_code, user_code } = await startDevice(depot.url);
    await page.goto(`/console/device?user_code=${user_code}`);
    expect(await page.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await page.getByRole("combobox", { name: "Organization" }).click();
    await page.getByRole("option", { name: ORGANIZATION }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "You're done" }).waitFor();
    expect((await pollDevice(depot.url, device_code)).status).toBe(200);
    expect([...problems, ...visitor.problems]).toEqual([]);
  });
});
