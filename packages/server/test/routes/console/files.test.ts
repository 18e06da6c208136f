import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";

let running: TestService;
const get = (path: string, init?: RequestInit) => call(running.service.apiUrl + path, init);

beforeAll(async () => {
  const [stage] = stages();
  if (!stage) throw new Error("no stage to test on");
  running = await testService(stage);
});
afterAll(() => running.dispose());

describe("GET /console", () => {
  it("returns the page for every path that is not a file, and has it revalidated", async () => {
    const { text } = await get("/console");
    expect(text).toContain('<div id="root">');
    for (const path of ["/console/", "/console/keys", "/console/databases/vpn_ip?tab=columns"]) {
      const page = await get(path);
      expect(page).toMatchObject({ status: 200, text });
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(page.headers.get("cache-control")).toBe("no-cache");
    }
  });

  it("allows scripts from its own files only, and no frames", async () => {
    const page = await get("/console");
    const policy = (page.headers.get("content-security-policy") ?? "").split("; ");
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|\bon[a-z]+=|https?:\/\//);
  });

  it("serves every file the page loads, forever cacheable if its name has a hash", async () => {
    const paths = filesOf(await get("/console"));
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const file = await get(path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get("content-type")).toMatch(/^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/);
      const caching = path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
      expect(file.headers.get("cache-control")).toBe(caching);
    }
  });

  it("compresses for clients that accept it", async () => {
    const plain = await get("/console", { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBe(null);
    const etags = [plain.headers.get("etag")];
    for (const [accepted, encoding] of [
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
    ] as const) {
      const compressed = await get("/console", { headers: { "accept-encoding": accepted } });
      expect(compressed.headers.get("content-encoding")).toBe(encoding);
      expect(compressed.headers.get("vary")).toBe("accept-encoding");
      expect(compressed.text).toBe(plain.text);
      etags.push(compressed.headers.get("etag"));
    }
    expect(new Set(etags).size).toBe(3);
  });

  it("returns 304 for a matching ETag", async () => {
    const etag = (await get("/console")).headers.get("etag") ?? "";
    expect(await get("/console", { headers: { "if-none-match": etag } })).toMatchObject({ status: 304, text: "" });
  });

  it("returns 404 for an asset that does not exist, and for paths outside of the console", async () => {
    for (const path of ["/console/assets/index-old.js", "/console/assets/..%2f..%2fmain.js", "/consoles"]) {
      expect([path, (await get(path)).json]).toEqual([path, { rc: "NOT_FOUND" }]);
    }
  });

  it("returns 405 for other methods", async () => {
    const reply = await get("/console/keys", { method: "POST" });
    expect(reply).toMatchObject({ status: 405, json: { rc: "METHOD_NOT_ALLOWED" } });
    expect(reply.headers.get("allow")).toBe("GET, HEAD");
  });
});

it("GET / redirects to the console", async () => {
  const reply = await get("/");
  expect([reply.status, reply.headers.get("location")]).toEqual([302, "/console"]);
});

/** The files that the page's HTML refers to. */
function filesOf({ text }: Reply): string[] {
  return [...text.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
}
