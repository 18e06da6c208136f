import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, utimes, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGateway } from "../../../src/adapters/objects/gateway.ts";
import { createPresigner, encodePath } from "../../../src/adapters/objects/sigv4.ts";
import { systemClock } from "../../../src/platform/primitives/clock.ts";
import { type DiskWithGateway, listen, openDiskWithGateway, stop } from "./disk-with-gateway.ts";
import { linkTerms } from "./link.contract.ts";
import { rawRequest } from "./raw-request.ts";

let disk: DiskWithGateway;
const logged: unknown[] = [];
beforeAll(async () => {
  const log = (entry: unknown) => void logged.push(entry);
  disk = await openDiskWithGateway({ log: { info: log, error: log } });
  await disk.store.put("object", Readable.from(["0123456789"]));
});
afterAll(() => disk.close());

const link = (key = "object", method: "GET" | "HEAD" = "GET") => disk.store.link(key, { ...linkTerms(), method });
const target = (url: string) => url.slice(disk.origin.length);
/** Signs any path, which requires the link secret. */
function signPath(path: string, method = "GET"): string {
  const presign = createPresigner(disk.origin, disk.authority);
  const terms = { contentDisposition: "attachment", contentType: "a/b", signed: new Date(), expiresSeconds: 60 };
  return target(presign({ method: method as "GET", path, ...terms }));
}

describe("Gateway response", () => {
  it("has caching, request id and CORS headers", async () => {
    const { status, headers } = await rawRequest(disk.origin, target(link()));
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "cache-control": "private, no-transform",
      "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": expect.stringContaining("Content-Range"),
    });
  });

  it("has a default content type if the link sets none", async () => {
    const url = link().replace(/response-content-type=[^&]+/, "response-content-type=");
    expect((await rawRequest(disk.origin, target(url))).status).toBe(403);
    const presign = createPresigner(disk.origin, disk.authority);
    const bare = { contentDisposition: "", contentType: "", signed: new Date(), expiresSeconds: 60 };
    const { headers } = await rawRequest(disk.origin, target(presign({ method: "GET", path: "/object", ...bare })));
    expect(headers["content-type"]).toBe("application/octet-stream");
    expect(headers["content-disposition"]).toBeUndefined();
  });

  it("has no body for 304 and HEAD", async () => {
    const { headers } = await rawRequest(disk.origin, target(link()));
    const unchanged = await rawRequest(disk.origin, target(link()), { headers: { "if-none-match": headers.etag } });
    expect(unchanged).toMatchObject({ status: 304, body: "", headers: { etag: headers.etag } });
    expect(unchanged.headers["content-length"]).toBeUndefined();
    const head = await rawRequest(disk.origin, target(link("object", "HEAD")), { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: "", headers: { "content-length": "10" } });
    const missing = await rawRequest(disk.origin, target(link("missing", "HEAD")), { method: "HEAD" });
    expect(missing).toMatchObject({ status: 404, body: "" });
  });

  it("answers HEAD for a link that was signed for GET, as long as it is valid", async () => {
    const head = await rawRequest(disk.origin, target(link()), { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: "", headers: { "content-length": "10" } });
    const expired = target(disk.store.link("object", { ...linkTerms(), now: new Date(Date.now() - 86_400_000) }));
    const other = target(link("other")).replace("/other", "/object");
    for (const refused of [expired, other, "/object"]) {
      expect(await rawRequest(disk.origin, refused, { method: "HEAD" })).toMatchObject({ status: 403, body: "" });
    }
  });

  it("has the same ETag from another gateway, and for a copy with the same modification time", async () => {
    const { headers } = await rawRequest(disk.origin, target(link()));
    const other = createGateway({ store: disk.store, authority: disk.authority, now: systemClock });
    const origin = await listen(other);
    const presign = createPresigner(origin, disk.authority);
    const terms = { contentDisposition: "a", contentType: "a/b", signed: new Date(), expiresSeconds: 60 };
    const again = await fetch(presign({ method: "GET", path: "/object", ...terms }));
    expect(again.headers.get("etag")).toBe(headers.etag);
    await again.arrayBuffer();
    await stop(other);

    const seconds = Date.parse(headers["last-modified"] ?? "") / 1000;
    await copyFile(join(disk.folder, "object"), join(disk.folder, "copy"));
    await utimes(join(disk.folder, "copy"), seconds, seconds);
    expect((await rawRequest(disk.origin, target(link("copy")))).headers.etag).toBe(headers.etag);
  });
});

describe("Gateway range request", () => {
  it.each([
    ["bytes=1-2,4-5", 200, "0123456789"],
    ["bytes=5-2", 200, "0123456789"],
    ["bytes=nonsense", 200, "0123456789"],
    ["lines=1-2", 200, "0123456789"],
    ["bytes=9-9", 206, "9"],
  ])("is handled as in S3: %s", async (range, status, body) => {
    expect(await rawRequest(disk.origin, target(link()), { headers: { range } })).toMatchObject({ status, body });
  });

  it("fails with 416 and the object's size if the range is not satisfiable", async () => {
    const { status, headers, body } = await rawRequest(disk.origin, target(link()), {
      headers: { range: "bytes=-0" },
    });
    expect([status, headers["content-range"]]).toEqual([416, "bytes */10"]);
    expect(body).toContain("<Code>InvalidRange</Code>");
  });

  it.each(['"other"', "Thu, 01 Jan 1970 00:00:00 GMT", "nonsense"])(
    "returns the whole object if If-Range does not match: %s",
    async (ifRange) => {
      const headers = { range: "bytes=4-", "if-range": ifRange };
      const response = await rawRequest(disk.origin, target(link()), { headers });
      expect(response).toMatchObject({ status: 200, body: "0123456789" });
    },
  );

  it("works with HEAD", async () => {
    const options = { method: "HEAD", headers: { range: "bytes=2-4" } };
    const response = await rawRequest(disk.origin, target(link("object", "HEAD")), options);
    expect(response).toMatchObject({
      status: 206,
      headers: { "content-range": "bytes 2-4/10", "content-length": "3" },
    });
  });
});

describe("Gateway path", () => {
  beforeAll(async () => {
    const { folder } = disk;
    await writeFile(join(folder, ".partial/half"), "half");
    await writeFile(join(folder, ".hidden"), "hidden");
    await mkdir(join(folder, "folder"));
    await symlink("/etc/hostname", join(folder, "symlink"));
    await symlink("/etc", join(folder, "etc"));
    await promisify(execFile)("mkfifo", [join(folder, "pipe")]);
  });

  it.each([
    "/",
    "//",
    "//object",
    "/object/",
    "/folder",
    "/folder/",
    "/folder/../object",
    "/./object",
    "/../../../../etc/hostname",
    "/..%2f..%2f..%2fetc%2fhostname",
    "/%2e%2e/%2e%2e/etc/hostname",
    "/..\\..\\etc\\hostname",
    "/object%00.gz",
    "/object%0d%0aX: y",
    "/.hidden",
    "/.partial/half",
    "/symlink",
    "/etc/hostname",
    "/pipe",
    `/${"long".repeat(100)}`,
    `/${"long/".repeat(400)}end`,
  ])("is not found if it names no object, even with a valid signature: %s", async (path) => {
    // Signed in the form the verifier reads, so the signature is valid.
    const target = signPath(encodePath(decodeURIComponent(path)));
    expect(await rawRequest(disk.origin, target)).toMatchObject({
      status: 404,
      body: expect.stringContaining("<Code>NoSuchKey</Code>"),
    });
  });
});

describe("Gateway request", () => {
  it("with another method fails with 403 if it is unsigned and 405 if it is signed", async () => {
    const unsigned = await rawRequest(disk.origin, "/object", { method: "PUT" });
    expect(unsigned).toMatchObject({ status: 403, body: expect.stringContaining("<Code>AccessDenied</Code>") });
    const signed = await rawRequest(disk.origin, signPath("/object", "DELETE"), { method: "DELETE" });
    expect(signed).toMatchObject({ status: 405, headers: { allow: "GET, HEAD, OPTIONS" } });
    expect(signed.body).toContain("<Code>MethodNotAllowed</Code>");
    expect(await text(await disk.store.read("object"))).toBe("0123456789");
  });

  it.each(["Expect: 100-continue\r\n", ""])(
    "with a body is refused before the body arrives, and the connection is closed: %j",
    async (expectation) => {
      const { port } = new URL(disk.origin);
      const socket = connect(Number(port), "127.0.0.1");
      socket.write(`PUT /object HTTP/1.1\r\nHost: a\r\n${expectation}Content-Length: 1000000000\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
      expect(answer).toContain("Connection: close");
      expect(answer).not.toContain(" 408 "); // The refusal does not wait for the request timeout.
    },
  );

  it.each([
    [
      "an absolute URL as its target",
      "GET http://localhost/object HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      400,
    ],
    ["no Host header", "GET /object HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
    ["an invalid request line", "nonsense\r\n\r\n", 400],
    ["headers of more than 16 KiB", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(17_000)}\r\n\r\n`, 431],
    ["a target of more than 16 KiB", `GET /${"x".repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ])("with %s is refused", async (_, request, status) => {
    const { port } = new URL(disk.origin);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(request);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("that is refused leaves the connection open for the next one", async () => {
    const { port, host } = new URL(disk.origin);
    const socket = connect(Number(port), "127.0.0.1");
    const next = `GET ${target(link())} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    socket.write(`GET /object HTTP/1.1\r\nHost: ${host}\r\n\r\n${next}`);
    expect((await text(socket)).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 403", "HTTP/1.1 200"]);
  });

  it("for a CORS preflight succeeds", async () => {
    const headers = { origin: "https://console.example.com", "access-control-request-method": "GET" };
    const response = await rawRequest(disk.origin, "/object", { method: "OPTIONS", headers });
    expect(response).toMatchObject({
      status: 204,
      body: "",
      headers: {
        "access-control-allow-origin": "*",
        "access-control-allow-methods": "GET, HEAD",
        "access-control-allow-headers": expect.stringContaining("Range"),
      },
    });
  });
});

describe("Gateway error", () => {
  it("has the format of S3 errors and a request id, and is not cacheable", async () => {
    const { headers, body } = await rawRequest(disk.origin, "/object");
    expect(headers).toMatchObject({ "content-type": "application/xml", "cache-control": "no-store" });
    const id = headers["x-request-id"];
    expect(body).toContain(
      `<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>${id}</RequestId>`,
    );
  });

  it.each([
    ["EMFILE", 503, "SlowDown"],
    ["EIO", 500, "InternalError"],
  ])("does not reveal an internal cause: %s", async (code, status, expected) => {
    const fault = Object.assign(new Error("/private/path"), { code });
    const errors: unknown[] = [];
    const gateway = createGateway({
      store: { open: () => Promise.reject(fault) },
      authority: disk.authority,
      now: systemClock,
      log: { info: () => {}, error: (entry: unknown) => void errors.push(entry) },
    });
    const origin = await listen(gateway);
    const presign = createPresigner(origin, disk.authority);
    const terms = { contentDisposition: "a", contentType: "a/b", signed: new Date(), expiresSeconds: 60 };
    const response = await fetch(presign({ method: "GET", path: "/object", ...terms }));
    const body = await response.text();
    expect([response.status, body]).toEqual([status, expect.stringContaining(`<Code>${expected}</Code>`)]);
    expect(body).not.toContain("private");
    expect(errors).toEqual([{ request_id: response.headers.get("x-request-id"), err: fault }]);
    await stop(gateway);
  });
});

describe("Gateway log", () => {
  it("has no error for a client that disconnects before or during the response", async () => {
    logged.length = 0;
    await disk.store.put("long", Readable.from([Buffer.alloc(32 * 1024 * 1024)]));
    let opened = () => {};
    const opening = new Promise<void>((resolve) => {
      opened = resolve;
    });
    let proceed = () => {};
    const errors: unknown[] = [];
    const answered: unknown[] = [];
    const gateway = createGateway({
      // Does not open the object until the client has disconnected.
      store: {
        async open(key) {
          opened();
          await new Promise<void>((resolve) => {
            proceed = resolve;
          });
          return disk.store.open(key);
        },
      },
      authority: disk.authority,
      now: systemClock,
      log: { info: (entry: unknown) => void answered.push(entry), error: (entry: unknown) => void errors.push(entry) },
    });
    const origin = await listen(gateway);
    const presign = createPresigner(origin, disk.authority);
    const terms = { contentDisposition: "a", contentType: "a/b", signed: new Date(), expiresSeconds: 60 };
    const early = new AbortController();
    const fetching = fetch(presign({ method: "GET", path: "/long", ...terms }), { signal: early.signal });
    await opening;
    early.abort();
    await expect(fetching).rejects.toThrow("aborted");
    await expect.poll(() => promisify(gateway.getConnections.bind(gateway))()).toBe(0);
    proceed();
    await expect.poll(() => answered).toHaveLength(1);
    await stop(gateway);

    const late = new AbortController();
    const response = await fetch(link("long"), { signal: late.signal });
    expect(response.status).toBe(200);
    late.abort();
    await expect.poll(() => logged.length).toBe(1);
    expect([...errors, ...logged]).toEqual([expect.objectContaining({ path: "/long", status: 200, cut_off: true })]);
    expect(answered).toEqual([expect.objectContaining({ path: "/long", status: null, cut_off: true })]);
  });

  it("has the fields of the API's access log, and no signature", async () => {
    logged.length = 0;
    const { headers } = await rawRequest(disk.origin, target(link()));
    await expect.poll(() => logged).toHaveLength(1);
    expect(logged).toEqual([
      {
        request_id: headers["x-request-id"],
        method: "GET",
        path: "/object",
        status: 200,
        ms: expect.any(Number),
        client_ip: "127.0.0.1",
      },
    ]);
  });

  it("takes the client's address from X-Forwarded-For only behind a trusted proxy", async () => {
    const forwarded = { headers: { "x-forwarded-for": "198.51.100.1, 203.0.113.7" } };
    const addressLogged = async (trustedProxies: string[]) => {
      const entries: unknown[] = [];
      const log = { info: (entry: unknown) => void entries.push(entry), error: () => {} };
      const { authority, store } = disk;
      const gateway = createGateway({ store, authority, now: systemClock, trustedProxies, log });
      await rawRequest(await listen(gateway), "/object", forwarded);
      await expect.poll(() => entries).toHaveLength(1);
      await stop(gateway);
      return (entries[0] as { client_ip: string }).client_ip;
    };
    expect(await addressLogged([])).toBe("127.0.0.1");
    expect(await addressLogged(["10.0.0.0/8"])).toBe("127.0.0.1");
    expect(await addressLogged(["127.0.0.0/8"])).toBe("203.0.113.7");
  });
});

describe("Gateway behind a proxy that keeps the Host header", () => {
  it("accepts links signed for the proxy's host only", async () => {
    const presign = createPresigner("https://downloads.example.com", disk.authority);
    const terms = { contentDisposition: "a", contentType: "a/b", signed: new Date(), expiresSeconds: 60 };
    const target = presign({ method: "GET", path: "/object", ...terms }).slice("https://downloads.example.com".length);
    const kept = await rawRequest(disk.origin, target, { headers: { host: "downloads.example.com" } });
    expect(kept).toMatchObject({ status: 200, body: "0123456789" });
    expect((await rawRequest(disk.origin, target)).status).toBe(403);
  });
});
