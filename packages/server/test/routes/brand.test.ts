import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startMailServer } from "../../../../rigs/harness/servers/mail-server.ts";
import { type Customer, call } from "../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { parseSettings } from "../../src/settings/settings.ts";
import { personOf } from "./console/person.ts";

const SVG = '<?xml version="1.0"?>\n<!-- logo -->\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"></svg>';
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("the vendor's brand", () => {
  let folder: string;
  let test: TestService;
  let mails: Awaited<ReturnType<typeof startMailServer>>;
  let acme: Customer;
  const settings: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "dbdepot-brand-"));
    mails = await startMailServer();
    await writeFile(join(folder, "logo.svg"), SVG);
    await writeFile(join(folder, "logo.png"), PNG);
    await writeFile(join(folder, "logo.gif"), "GIF89a");
    await writeFile(join(folder, "large.svg"), SVG + " ".repeat(256 * 1024));
    await writeFile(join(folder, "page.html"), "<!doctype html><p><svg></svg></p>");
    Object.assign(settings, {
      DBDEPOT_BRAND_NAME: `Tom & "Jerry"`,
      DBDEPOT_BRAND_LOGO: join(folder, "logo.svg"),
      DBDEPOT_BRAND_LOGO_DARK: join(folder, "logo.png"),
      DBDEPOT_BRAND_COLOR: "#0f766e",
      DBDEPOT_SUPPORT_URL: "mailto:help@vendor.example",
      DBDEPOT_LEGAL_LINKS: "Terms=https://vendor.example/terms?a=1, Privacy = https://vendor.example/privacy",
      DBDEPOT_SMTP_URL: mails.url,
      DBDEPOT_MAIL_FROM: "depot@vendor.example",
    });
    const [stage] = stages();
    if (!stage) throw new Error("no stage to test on");
    test = await testService(stage, settings);
    acme = await test.operator.customer("Acme");
  });
  afterAll(async () => {
    await test?.dispose();
    await mails?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const get = (path: string) => call(test.service.apiUrl + path);

  it("serves both logos, which can neither run scripts nor be mistaken for another type", async () => {
    for (const [path, type, body] of [
      ["/brand/logo", "image/svg+xml", SVG],
      ["/brand/logo-dark", "image/png", PNG.toString()],
    ] as const) {
      const { status, headers, text } = await get(path);
      expect([status, headers.get("content-type"), text]).toEqual([200, type, body]);
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("is in the page of the console, its icon, the API reference, the OpenAPI document, the feed and the identity", async () => {
    const name = "Tom &amp; &quot;Jerry&quot;";
    const page = await get("/console/keys");
    expect(page.text).toContain(`<title>${name}</title>`);
    expect(page.text).not.toContain("<title>dbdepot");
    expect((await get("/console/favicon.svg")).text).not.toContain("#4653e0");
    const docs = await get("/docs");
    expect(docs.text).toContain(`<h1>${name} API</h1>`);
    expect(docs.text).toContain(`<img src="/brand/logo" alt="${name}">`);
    expect(docs.text).toContain('<a href="https://vendor.example/terms?a=1">Terms</a>');
    expect(docs.text).toContain("Powered by dbdepot");
    expect(docs.headers.get("content-security-policy")).toContain("img-src 'self';");
    expect((await get("/openapi.json")).json.info).toMatchObject({
      title: `Tom & "Jerry"`,
      contact: { name: `Tom & "Jerry"`, email: "help@vendor.example" },
    });
    expect((await acme.get("/api/v2/feed.atom")).text).toContain(`<author><name>${name}</name></author>`);
    expect((await acme.get("/api/v1/iam/identity")).json.service_name).toBe(`Tom & "Jerry"`);
  });

  it("is in e-mails, with the support link below", async () => {
    const root = await personOf(test, "root@vendor.example", "operator");
    await root.post("/api/console/accounts", { email: "ops@vendor.example", role: "operator" });
    const [mail = ""] = mails.mails;
    expect(mail).toContain(`invited to the Tom & "Jerry" console`);
    expect(mail).toMatch(/\n\r?\nTom & "Jerry"\r?\nhelp@vendor\.example/);
    expect(mail).not.toContain("dbdepot");
    expect(mail).toContain("Tom_=26_=22Jerry=22");
  });

  it("is refused at the start if a part of it cannot be used, with everything that is wrong", () => {
    const faultsOf = (environment: Record<string, string>) => {
      try {
        parseSettings(environment);
        return [];
      } catch (error) {
        return (error as Error).message.replaceAll(folder, "").split("\n");
      }
    };
    expect(faultsOf(settings)).toEqual([]);
    const logo = (name: string) => faultsOf({ DBDEPOT_BRAND_LOGO: join(folder, name) });
    expect(logo("missing.svg")).toEqual([
      "DBDEPOT_BRAND_LOGO: cannot read /missing.svg (ENOENT): check the path and permissions",
    ]);
    expect(logo("large.svg")).toEqual(["DBDEPOT_BRAND_LOGO: must have at most 256 KiB: /large.svg has 257 KiB"]);
    for (const name of ["logo.gif", "page.html"]) {
      expect(logo(name)).toEqual([`DBDEPOT_BRAND_LOGO: must be an SVG or PNG file: /${name} is neither`]);
    }
    expect(
      faultsOf({
        DBDEPOT_BRAND_NAME: "x".repeat(61),
        DBDEPOT_BRAND_LOGO_DARK: join(folder, "logo.png"),
        DBDEPOT_BRAND_COLOR: "blue",
        DBDEPOT_SUPPORT_URL: "javascript:alert(1)",
        DBDEPOT_LEGAL_LINKS: "https://vendor.example/terms",
        DBDEPOT_POWERED_BY: "no",
      }),
    ).toEqual([
      "DBDEPOT_BRAND_NAME: must be one line of up to 60 characters",
      'DBDEPOT_BRAND_COLOR: must be a colour like #1a56db, not "blue"',
      'DBDEPOT_SUPPORT_URL: must be an https:// or mailto: URL, not "javascript:alert(1)"',
      'DBDEPOT_LEGAL_LINKS: must be a list of Label=URL, not "https://vendor.example/terms"',
      'DBDEPOT_POWERED_BY: must be one of on, off, not "no"',
      "DBDEPOT_BRAND_LOGO: required with DBDEPOT_BRAND_LOGO_DARK",
    ]);
    const isPoweredByShown = (more: Record<string, string>) => parseSettings(more).brand.isPoweredByShown;
    expect(isPoweredByShown({})).toBe(false);
    expect(isPoweredByShown(settings)).toBe(true);
    expect(isPoweredByShown({ ...settings, DBDEPOT_POWERED_BY: "off" })).toBe(false);
  });
});
