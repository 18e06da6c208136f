import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";

describe("the first page", needs("Chromium"), () => {
  let depot: Depot;
  beforeAll(async () => {
    depot = await startDepot();
  });
  afterAll(() => depot?.dispose());

  it.each([
    ["sign-in", undefined, "Sign in", 220_000],
    ["databases", "viewer", "Databases", 255_000],
    ["overview", "operator", "Overview", 240_000],
  ] as const)("%s stays small, and text does not wait for its font", async (path, role, heading, mostBytes) => {
    const cookie =
      role && (await depot.signedIn(`${role}@example.com`, role, role === "viewer" ? "Demo Licensed" : undefined));
    const { page, close } = await visit(depot.url, { cookie });
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    let bytes = 0;
    session.on("Network.loadingFinished", ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`/console/${path}`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.evaluate("document.fonts.ready.then(() => true)");
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(mostBytes);
    const displays = await page.evaluate("[...document.fonts].map(({ display }) => display)");
    expect(new Set(displays as string[])).toEqual(new Set(["swap"]));
    await close();
  });

  it("shows its frame before any script has loaded", async () => {
    const { page, close } = await visit(depot.url);
    await page.route("**/*.js", (route) =>
      route.request().url().endsWith("/start.js") ? route.continue() : undefined,
    );
    await page.goto("/console/", { waitUntil: "commit" });
    await page.getByRole("status").getByText("Loading…").waitFor();
    await close();
  });
});
