import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { ERRORS } from "@dbdepot/contract/shared/errors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call, type Reply } from "../../../../rigs/harness/service/customer.ts";
import { stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { openApiDocument } from "../../src/http/openapi/document.ts";
import { DOCUMENTED_ROUTES } from "../../src/http/routes.ts";
import { clientPackages, PACKAGE } from "./fixture.ts";

let running: TestService;
const fetchPage = (path: string, init?: RequestInit) => call(running.service.apiUrl + path, init);

beforeAll(async () => {
  const [stage] = stages();
  if (!stage) throw new Error("no stage to test on");
  running = await testService(stage, { DBDEPOT_CLIENTS_DIR: await clientPackages() });
});
afterAll(() => running.dispose());

describe.for([
  ["/openapi.json", "application/json; charset=utf-8"],
  ["/docs", "text/html; charset=utf-8"],
  ["/download/dbdepot-client.tgz", "application/gzip"],
  ["/download/dbdepot-client.tgz.sha256", "text/plain; charset=utf-8"],
])("%s", ([path = "", type]) => {
  test("needs no key", async () => {
    const reply = await fetchPage(path);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe(type);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("returns 304 for a matching ETag, also if it is weak or in a list", async () => {
    const { headers } = await fetchPage(path);
    const etag = headers.get("etag") ?? "";
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const reply = await fetchPage(path, { headers: { "if-none-match": known } });
      expect(reply).toMatchObject({ status: 304, text: "" });
      expect(reply.headers.get("etag")).toBe(etag);
    }
    expect((await fetchPage(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  test("responds to HEAD without a body", async () => {
    const [get, head] = [await fetchPage(path), await fetchPage(path, { method: "HEAD" })];
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
    expect(head.headers.get("content-length")).toBe(get.headers.get("content-length"));
  });
});

test("/openapi.json returns the OpenAPI document of the customer routes", async () => {
  expect((await fetchPage("/openapi.json")).json).toEqual(
    JSON.parse(JSON.stringify(openApiDocument(DOCUMENTED_ROUTES))),
  );
});

test("/docs lists every endpoint and every error code", async () => {
  const { text } = await fetchPage("/docs");
  for (const { url } of DOCUMENTED_ROUTES) expect(text).toContain(`<code>${url.replace(/:([a-z]+)/g, "{$1}")}</code>`);
  for (const code of Object.keys(ERRORS)) expect(text).toContain(`<code>${code}</code>`);
});

test("/download/dbdepot-client.tgz is the npm package of the client, with its digest in a header, a file and /docs", async () => {
  const response = await fetch(`${running.service.apiUrl}/download/dbdepot-client.tgz`);
  const tarball = Buffer.from(await response.arrayBuffer());
  const sha256 = hash("sha256", tarball);
  const base64 = hash("sha256", tarball, "base64");
  expect(response.headers.get("repr-digest")).toBe(`sha-256=:${base64}:`);
  expect((await fetchPage("/download/dbdepot-client.tgz.sha256")).text).toBe(`${sha256}  dbdepot-client.tgz\n`);
  expect((await fetchPage("/docs")).text).toContain(`>${sha256}</code>`);
  const files = execFileSync("tar", ["-tz"], { input: tarball, encoding: "utf8" }).split("\n");
  for (const name of ["package.json", "README.md", "LICENSE", "bin/dbdepot.js", "dist/index.js", "dist/index.d.ts"]) {
    expect(files).toContain(`package/${name}`);
  }
});

test("/docs lists the packages that the service offers, with their digests", async () => {
  const { text } = await fetchPage("/docs");
  expect(text).toContain(`<a href="/download/${PACKAGE.name}">`);
  expect(text).toContain(`>${hash("sha256", PACKAGE.body)}</code>`);
});

describe("the API reference", () => {
  let page: Reply;
  beforeAll(async () => {
    page = await fetchPage("/docs");
  });
  const all = (pattern: RegExp) => [...page.text.matchAll(pattern)].map(([, found = ""]) => found);

  test("loads no resources and no scripts, and forbids them in its Content-Security-Policy", () => {
    expect(page.text).not.toMatch(
      /<(script|link|img|iframe|object|form)\b|\bsrc=|\bon[a-z]+=|@import|url\(|\bstyle="/i,
    );
    const style = all(/<style>(.*?)<\/style>/gs);
    expect(style).toHaveLength(1);
    const digest = hash("sha256", style[0] ?? "", "base64");
    expect(page.headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  test("has unique ids and no broken internal links", () => {
    const ids = all(/\bid="([^"]+)"/g);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(all(/\bhref="#([^"]+)"/g).filter((id) => !ids.includes(id))).toEqual([]);
    expect(all(/\baria-labelledby="([^"]+)"/g).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("is accessible: it has a language, landmarks, ordered headings and table headers", () => {
    expect(page.text).toContain('<html lang="en">');
    for (const landmark of ["header", "nav", "main"]) expect(all(new RegExp(`<(${landmark})\\b`, "g"))).toHaveLength(1);
    const levels = all(/<h([1-6])\b/g).map(Number);
    expect(levels.filter((level) => level === 1)).toEqual([1]);
    expect(levels.every((level, index) => index === 0 || level <= (levels[index - 1] ?? 0) + 1)).toBe(true);
    expect(all(/<th\b([^>]*)>/g).every((attributes) => /scope="(col|row)"/.test(attributes))).toBe(true);
    expect(all(/<(div class="table")/g)).toHaveLength(all(/<(table)>/g).length);
  });

  test("closes every element", () => {
    const open: string[] = [];
    for (const [, end, name = ""] of page.text.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (name === "meta") continue;
      if (end) expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
  });
});
