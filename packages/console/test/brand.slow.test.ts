import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../rigs/harness/needs.ts";
import { violationsOn } from "./accessibility.ts";
import { visit } from "./browser.ts";
import { type Depot, startDepot } from "./depot.ts";

const LOGO = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="140" height="28"><text y="22" font-family="sans-serif" font-size="20" fill="${color}">Example Data</text></svg>`;
/** The file of the visible logo and its width. */
const SHOWN_LOGO =
  "[...document.images].filter((image) => image.offsetParent).map((image) => [image.currentSrc, image.naturalWidth])[0]";
/** They look like the first, and axe takes half a minute for all of them. */
const WITHOUT_MOST_ENDPOINTS =
  "for (const each of document.querySelectorAll('main > section ~ section, .endpoint ~ .endpoint, nav ul ul')) each.remove()";
const BUTTON_COLOR = "getComputedStyle(document.querySelector('button[type=submit]')).backgroundColor";

describe("the vendor's brand", needs("Chromium"), () => {
  let folder: string;
  let depot: Depot;
  let admin: string | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-brand-"));
    await writeFile(join(folder, "light.svg"), LOGO("#134e4a"));
    await writeFile(join(folder, "dark.svg"), LOGO("#99f6e4"));
    depot = await startDepot({
      DBDEPOT_BRAND_NAME: "Example Data",
      DBDEPOT_BRAND_LOGO: join(folder, "light.svg"),
      DBDEPOT_BRAND_LOGO_DARK: join(folder, "dark.svg"),
      DBDEPOT_BRAND_COLOR: "#0f766e",
      DBDEPOT_SUPPORT_URL: "https://vendor.example/support",
      DBDEPOT_LEGAL_LINKS: "Terms=https://vendor.example/terms",
    });
    admin = await depot.signedIn("ada@example.com", "admin", "Demo Licensed");
  });
  afterAll(async () => {
    await depot?.dispose();
    await rm(folder, { recursive: true });
  });

  it("is on the sign-in page, in the console and in the API reference, readable in both themes", async () => {
    const visitor = await visit(depot.url);
    const person = await visit(depot.url, { cookie: admin });
    for (const [{ page, problems }, path, title, loaded] of [
      [visitor, "/console/sign-in", "Sign in · Example Data", "Forgot your password?"],
      [person, "/console/databases", "Databases · Example Data", "25 rows"],
      [person, "/docs", "Example Data API", "Error codes"],
    ] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(path);
        await page.getByText(loaded).first().waitFor();
        expect(await page.title()).toBe(title);
        await page.getByRole("img", { name: "Example Data" }).locator("visible=true").waitFor();
        const file = colorScheme === "dark" ? "/brand/logo-dark" : "/brand/logo";
        expect(await page.evaluate(SHOWN_LOGO)).toEqual([depot.url + file, 140]);
        const footer = page.locator("footer");
        expect(await footer.innerText()).toMatch(/^Support\s+Terms\s+Powered by dbdepot$/);
        expect(await footer.getByRole("link", { name: "Terms" }).getAttribute("href")).toBe(
          "https://vendor.example/terms",
        );
        await page.evaluate(WITHOUT_MOST_ENDPOINTS);
        expect(await violationsOn(page, ["color-contrast"])).toEqual([]);
      }
      expect(problems).toEqual([]);
    }
    await visitor.page.goto("/console/sign-in");
    await visitor.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await visitor.page.evaluate(BUTTON_COLOR)).toBe("rgb(15, 116, 108)");
    await visitor.page.route("**/api/**", (route) => route.abort());
    await visitor.page.getByLabel("E-mail address").fill("ada@example.com");
    await visitor.page.getByLabel("Password", { exact: true }).fill("secret");
    await visitor.page.getByRole("button", { name: "Sign in" }).click();
    await visitor.page.getByText("Example Data cannot be reached.").waitFor();
    await visitor.close();
    await person.close();
  });
});
