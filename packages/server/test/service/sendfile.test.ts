import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { startApache, XSENDFILE_MODULE } from "../../../../rigs/harness/servers/apache.ts";
import { startNginx } from "../../../../rigs/harness/servers/nginx.ts";
import { type Customer, call, type Reply } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { fileBytes, testService } from "../../../../rigs/harness/service/test-service.ts";
import { rawRequest } from "../adapters/objects/raw-request.ts";
import { LegacyCustomer } from "../routes/v1/legacy-customer.ts";

const [stage] = stages() as [Stage];
const CONTENT = "0123456789".repeat(1000);
const FILE = fileBytes("mmdb", CONTENT).toString();

/** The service with one database, a v2 customer and a v1 customer. */
async function open(settings: Record<string, string>) {
  const test = await testService(stage, { DBDEPOT_TRUSTED_PROXIES: "127.0.0.0/8", ...settings });
  await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
  const build = await test.operator.publish("vpn_ip_v1", CONTENT);
  const acme = await test.operator.customer("Acme");
  await test.operator.grant("Acme", "vpn_ip");
  const legacyKey = await test.operator.legacyCustomer(["vpn_ip_v1"], "Acme");
  return { test, build, acme, legacyKey, objectKey: build.files.mmdb?.objectKey ?? "" };
}

const PROXIES = [
  { name: "nginx", header: "x-accel-redirect", start: startNginx, requires: ["nginx"] },
  { name: "Apache", header: "x-sendfile", start: startApache, requires: ["apache2", XSENDFILE_MODULE] },
];

for (const { name, header, start, requires } of PROXIES)
  describe(`${header} behind ${name}`, needs(...requires), () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let proxy: AsyncDisposable | undefined;
    let apiOrigin: string;
    let objectsOrigin: string;
    beforeAll(async () => {
      const [port, objectsPort, proxyPort, proxyObjectsPort] = await Promise.all([1, 2, 3, 4].map(freePort));
      apiOrigin = `http://127.0.0.1:${proxyPort}`;
      objectsOrigin = `http://127.0.0.1:${proxyObjectsPort}`;
      opened = await open({
        DBDEPOT_SENDFILE: header,
        DBDEPOT_PORT: String(port),
        DBDEPOT_OBJECTS_PORT: String(objectsPort),
        DBDEPOT_PUBLIC_URL: apiOrigin,
        DBDEPOT_OBJECTS_PUBLIC_URL: objectsOrigin,
      });
      const { dataDir } = opened.test;
      // Only the service can read its data directory, so a real installation keeps the files elsewhere.
      await chmod(dataDir, 0o750);
      proxy = await start(
        [
          [Number(proxyPort), Number(port)],
          [Number(proxyObjectsPort), Number(objectsPort)],
        ],
        join(dataDir, "objects"),
      );
    });
    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await opened?.test.dispose();
    });

    const v1Url = () =>
      new LegacyCustomer(apiOrigin, opened.legacyKey).url("download", { id: "vpn_ip_v1", format: "mmdb" });
    const streamUrl = () =>
      `${apiOrigin}/api/v2/database/download?id=vpn_ip_v1&format=mmdb&delivery=stream&apikey=${opened.acme.key}`;
    const linkFor = (key: string, method: "GET" | "HEAD" = "GET") =>
      opened.test.service.services.objects.link(key, {
        ttlSeconds: 60,
        filename: "vpn_ip_v1.mmdb",
        contentType: "application/octet-stream",
        now: new Date(),
        method,
      });
    const link = () => linkFor(opened.objectKey);
    /** How many bytes of files the server itself has sent. */
    const bytesSent = async () => {
      const { values } = await opened.test.service.services.metrics.transferBytes.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    const sources: [string, () => string][] = [
      ["v1", v1Url],
      ["delivery=stream", streamUrl],
      ["the gateway", link],
    ];

    describe.each(sources)("%s", (_, url) => {
      const fetchFile = (headers: Record<string, string> = {}): Promise<Reply> => call(url(), { headers });

      it("lets the proxy send the whole file with the headers of the server", async () => {
        const sentBefore = await bytesSent();
        const reply = await fetchFile();
        expect([reply.status, reply.text]).toEqual([200, FILE]);
        expect(await bytesSent()).toBe(sentBefore);
        expect(Object.fromEntries(reply.headers)).toMatchObject({
          server: expect.stringContaining(name),
          "content-type": "application/octet-stream",
          "content-disposition": 'attachment; filename="vpn_ip_v1.mmdb"',
          "content-length": String(FILE.length),
          "accept-ranges": "bytes",
          etag: expect.stringMatching(/^"[0-9a-f-]+"$/),
          "last-modified": expect.stringMatching(/GMT$/),
          "x-request-id": expect.any(String),
        });
        expect(reply.headers.get(header)).toBeNull();
      });

      it("sends the requested range, with and without If-Range, or 416", async () => {
        const { headers } = await fetchFile();
        const etag = headers.get("etag") ?? "";
        const modified = headers.get("last-modified") ?? "";
        for (const condition of [{}, { "if-range": etag }, { "if-range": modified }]) {
          const part = await fetchFile({ range: "bytes=5-14", ...condition });
          expect([part.status, part.text]).toEqual([206, FILE.slice(5, 15)]);
          expect(part.headers.get("content-range")).toBe(`bytes 5-14/${FILE.length}`);
          expect(part.headers.get("etag")).toBe(etag);
        }
        const changed = await fetchFile({ range: "bytes=5-14", "if-range": '"other"' });
        expect([changed.status, changed.text]).toEqual([200, FILE]);
        for (const range of ["bytes=0-1,5-6", "bytes=9-5", "bytes=five", "lines=1-2"]) {
          const ignored = await fetchFile({ range });
          expect([range, ignored.status, ignored.text]).toEqual([range, 200, FILE]);
        }
        for (const range of ["bytes=-5", `bytes=${FILE.length - 5}-99999999999999999999`]) {
          const end = await fetchFile({ range });
          expect([range, end.status, end.text]).toEqual([range, 206, FILE.slice(-5)]);
        }
        const pastEnd = await fetchFile({ range: `bytes=${FILE.length}-` });
        expect([pastEnd.status, pastEnd.headers.get("content-range")]).toEqual([416, `bytes */${FILE.length}`]);
      });

      it("evaluates preconditions as it does without a proxy", async () => {
        const { headers } = await fetchFile();
        const etag = headers.get("etag") ?? "";
        const modified = headers.get("last-modified") ?? "";
        for (const condition of [{ "if-none-match": etag }, { "if-modified-since": modified }]) {
          const unchanged = await fetchFile(condition);
          expect([unchanged.status, unchanged.text, unchanged.headers.get("etag")]).toEqual([304, "", etag]);
        }
        for (const condition of [
          { "if-match": etag },
          { "if-unmodified-since": modified },
          { "if-none-match": '"other"' },
        ]) {
          const sent = await fetchFile(condition);
          expect([condition, sent.status, sent.text]).toEqual([condition, 200, FILE]);
        }
        expect((await fetchFile({ "if-match": '"other"' })).status).toBe(412);
      });

      it("ignores the header in a request of the client", async () => {
        const reply = await fetchFile({
          "x-accel-redirect": "/_dbdepot/objects/.partial/secret",
          "x-sendfile": "/etc/passwd",
        });
        expect([reply.status, reply.text]).toEqual([200, FILE]);
      });
    });

    it("responds to HEAD with the headers of the file", async () => {
      for (const [url, source] of [
        [v1Url(), "v1"],
        [streamUrl(), "delivery=stream"],
        [linkFor(opened.objectKey, "HEAD"), "gateway"],
      ]) {
        const reply = await call(String(url), { method: "HEAD" });
        expect([source, reply.status, reply.text, reply.headers.get("content-length")]).toEqual([
          source,
          200,
          "",
          String(FILE.length),
        ]);
      }
    });

    it("keeps the headers that let a client verify the file", async () => {
      const { headers } = await call(v1Url());
      const sha256 = opened.build.files.mmdb?.checksums.sha256 ?? "";
      expect(headers.get("etag")).toBe(`"${sha256}"`);
      expect(headers.get("x-build-id")).toBe(opened.build.id);
      expect(headers.get("repr-digest")).toBe(`sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
    });

    it("records the attempt with the status the client gets", async () => {
      for (const [range, status] of [
        ["bytes=0-4", 206],
        [`bytes=${FILE.length}-`, 416],
      ] as const) {
        expect((await call(v1Url(), { headers: { range } })).status).toBe(status);
        const [row] = await (opened.acme as Customer).history();
        expect(row?.http_status).toBe(status);
      }
    });

    it("sends objects with unusual names", async () => {
      const { objects } = opened.test.service.services;
      for (const key of ["odd/a b", "odd/ünï 漢字", "odd/a%2Fb", "odd/q?x=1&y#z", "odd/plus+%25"]) {
        await objects.put(key, Readable.from([Buffer.from(key)]));
        const reply = await call(linkFor(key));
        expect([key, reply.status, reply.text]).toEqual([key, 200, key]);
      }
    });

    it("does not let clients fetch a file directly", async () => {
      const paths = [
        `/_dbdepot/objects/${opened.objectKey}`,
        `/%5fdbdepot/objects/${opened.objectKey}`,
        `//_dbdepot/objects/${opened.objectKey}`,
        `/x/../_dbdepot/objects/${opened.objectKey}`,
        "/_dbdepot/objects/../link-secret",
        "/_dbdepot/objects../link-secret",
        "/_dbdepot/objects/%2e%2e/link-secret",
      ];
      for (const origin of [apiOrigin, objectsOrigin]) {
        for (const path of paths) {
          const { status, body } = await rawRequest(origin, path);
          expect([path, status]).toEqual([path, expect.toBeOneOf([308, 400, 403, 404])]);
          expect(body).not.toContain("0123456789");
        }
        const { status } = await rawRequest(origin, `/_dbdepot/objects/${opened.objectKey}`);
        // nginx has a location of that name. Apache passes the request on, and the gateway misses the signature.
        expect(status).toBe(name === "Apache" && origin === objectsOrigin ? 403 : 404);
      }
    });

    it("does not reach files outside the object directory", async () => {
      const folder = join(opened.test.dataDir, "objects");
      await writeFile(join(opened.test.dataDir, "outside"), "outside");
      await mkdir(join(folder, "inside"), { recursive: true });
      await writeFile(join(folder, ".partial/half"), "half");
      await symlink(join(opened.test.dataDir, "outside"), join(folder, "inside/symlink"));
      expect((await call(linkFor("inside/symlink"))).status).toBe(404);
      for (const key of ["../outside", ".partial/half"]) expect(() => linkFor(key)).toThrow(TypeError);
    });
  });

const FORWARDED = { headers: { "x-forwarded-for": "198.51.100.7" } };

describe("X-Sendfile", () => {
  it("sends the path of the file to a trusted proxy", async () => {
    const { test, legacyKey, objectKey } = await open({ DBDEPOT_SENDFILE: "x-sendfile" });
    const url = new LegacyCustomer(test.service.apiUrl, legacyKey).url("download", { id: "vpn_ip_v1", format: "mmdb" });
    const reply = await call(url, FORWARDED);
    expect([reply.status, reply.text]).toEqual([200, ""]);
    expect(reply.headers.get("x-sendfile")).toBe(`${test.dataDir}/objects/${objectKey}`);
    expect(reply.headers.get("content-type")).toBe("application/octet-stream");
    await test.dispose();
  });

  it.each(["x-sendfile", "x-accel-redirect"])("is not used without a trusted proxy: %s", async (header) => {
    for (const [trusted, options] of [
      ["192.0.2.0/24", FORWARDED],
      // A program on the proxy's machine that does not go through the proxy.
      ["127.0.0.0/8", {}],
    ] as const) {
      const { test, legacyKey, acme } = await open({ DBDEPOT_SENDFILE: header, DBDEPOT_TRUSTED_PROXIES: trusted });
      const legacy = new LegacyCustomer(test.service.apiUrl, legacyKey);
      const url = legacy.url("download", { id: "vpn_ip_v1", format: "mmdb" });
      const location = (await acme.download("vpn_ip_v1", "mmdb")).headers.get("location") ?? "";
      for (const reply of [await call(url, options), await call(location, options)]) {
        expect([reply.status, reply.text, reply.headers.get(header)]).toEqual([200, FILE, null]);
      }
      await test.dispose();
    }
  });
});
