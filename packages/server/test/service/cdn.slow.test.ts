import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { startNginxWith } from "../../../../rigs/harness/servers/nginx.ts";
import type { Customer } from "../../../../rigs/harness/service/customer.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import type { Build } from "../../src/domain/builds/build.ts";
import { withdrawBuild } from "../../src/domain/builds/rollback.ts";
import { rulesOf } from "../../src/settings/rules.ts";

const [stage] = stages() as [Stage];
const JS_MODULE = "/usr/lib/nginx/modules/ngx_http_js_module.so";
const SECRETS = ["a".repeat(64), randomBytes(32).toString("hex")] as const;
const CUSTOMERS = 50;
/** Three slices of 8 MB. */
const CONTENT = randomBytes(9 * 2 ** 20).toString("hex");

const page = readFile(join(import.meta.dirname, "../../../../docs/operate/cdn.md"), "utf8");

/** The configurations of the page. Only addresses, paths and secrets are replaced. */
async function configurations(ports: { edge: number; storage: number }, root: string, directory: string) {
  const blocks = [...(await page).matchAll(/```(nginx|js)\n(.*?)```/gs)].map(([, , code = ""]) => code);
  const [edge = "", storage = "", script = ""] = blocks.map((block) =>
    block
      .replaceAll("the secret of the first key", SECRETS[0])
      .replaceAll("the secret of the second key", SECRETS[1])
      .replace("/var/cache/nginx/dbdepot", join(directory, "cache"))
      .replace("/var/lib/dbdepot/objects", root)
      .replace("listen 8088", `listen 127.0.0.1:${ports.edge}`)
      .replace("listen 8089", `listen 127.0.0.1:${ports.storage}`)
      .replace("storage.internal:8089", `127.0.0.1:${ports.storage}`),
  );
  const [, imports = "", check = ""] = /```text\n(js_import.*?;\n.*?;\n)\s*(if.*?)\n```/s.exec(await page) ?? [];
  const hmac = edge
    .replace(/map \$arg_kid.*?\n}\n/s, imports.replace("/etc/nginx", directory))
    .replace(/if \(\$link_secret = "".*?\$secure_link != 1\) .*?}/s, check);
  return { secure_link: edge, hmac, storage, script };
}

describe.each([
  { links: "secure_link", modules: [] },
  { links: "hmac", modules: [JS_MODULE] },
])("nginx as a CDN with $links", needs("nginx", JS_MODULE), ({ links, modules }) => {
  let test: TestService;
  let directory: string;
  let storageLog: string;
  let build: Build;
  let ports: { edge: number; storage: number };
  const running = new AsyncDisposableStack();
  const customers: Customer[] = [];
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "dbdepot-cdn-"));
    ports = { edge: await freePort(), storage: await freePort() };
    const keyFile = join(directory, "link-keys");
    await writeFile(keyFile, `2026b ${SECRETS[1]}\n2026a ${SECRETS[0]}\n`);
    test = await testService(stage, {
      DBDEPOT_LINKS: links,
      DBDEPOT_LINK_KEY_FILE: keyFile,
      DBDEPOT_LINK_ORIGINS: `http://127.0.0.1:${ports.edge}`,
      DBDEPOT_PURGE_COMMAND: `cat > ${directory}/purged; find ${directory}/cache -type f -delete`,
    });
    storageLog = join(directory, "storage.log");
    const config = await configurations(ports, join(test.dataDir, "objects"), directory);
    await writeFile(join(directory, "dbdepot-links.js"), config.script);
    running.use(
      await startNginxWith(
        ports.storage,
        `log_format storage '$request_uri|$http_range|$http_authorization';
         ${config.storage.replace("server {", `server { access_log ${storageLog} storage;`)}`,
      ),
    );
    running.use(await startNginxWith(ports.edge, config[links as "hmac" | "secure_link"], modules));
    await test.operator.addDatabase("vpn_ip_v1", { formats: ["mmdb"] });
    build = await test.operator.publish("vpn_ip_v1", CONTENT);
    for (let i = 0; i < CUSTOMERS; i += 1) {
      customers.push(await test.operator.customer(`Customer ${i}`));
      await test.operator.grant(`Customer ${i}`, "vpn_ip");
    }
    await test.operator.settle();
  });
  afterAll(async () => {
    await running.disposeAsync();
    await test?.dispose();
    await rm(directory, { recursive: true, force: true });
  });

  const fetched = async () =>
    (await readFile(storageLog, "utf8")).split("\n").filter((line) => line.startsWith("/vpn"));
  const linkOf = async (customer: Customer) => {
    const reply = await customer.download("vpn_ip_v1", "mmdb");
    expect([reply.status, reply.headers.get("x-build-id")]).toEqual([302, build.id]);
    return reply.headers.get("location") ?? "";
  };
  const statusOf = async (link: string, init?: RequestInit) => {
    const response = await fetch(link, init);
    await response.arrayBuffer();
    return response.status;
  };
  /** A link that was made some time ago. */
  const linkFrom = (secondsAgo: number) =>
    test.service.services.objects.link(build.files.mmdb?.objectKey ?? "", {
      ttlSeconds: 900,
      filename: "vpn_ip_v1.mmdb",
      contentType: "application/octet-stream",
      now: new Date(Date.now() - secondsAgo * 1000),
    });

  it("fetches each piece of a file once for all customers, who get every byte and range of it", async () => {
    const sha256 = build.files.mmdb?.checksums.sha256;
    const digests = await Promise.all(
      customers.map(async (customer) => {
        const response = await fetch(await linkOf(customer), { headers: { authorization: "Bearer secret" } });
        return createHash("sha256")
          .update(Buffer.from(await response.arrayBuffer()))
          .digest("hex");
      }),
    );
    expect(new Set(digests)).toEqual(new Set([sha256]));
    const part = await fetch(linkFrom(0), { headers: { range: "bytes=9000000-9000009" } });
    expect([part.status, await part.text()]).toEqual([206, `mmdb ${CONTENT}`.slice(9_000_000, 9_000_010)]);
    const path = `/${build.files.mmdb?.objectKey}`;
    // Neither the token nor the customer's headers reach the storage.
    expect((await fetched()).sort()).toEqual(
      [0, 1, 2].map((i) => `${path}|bytes=${i * 2 ** 23}-${(i + 1) * 2 ** 23 - 1}|-`).sort(),
    );
    expect((await customers[0]?.get("/api/v2/database/downloads"))?.json.downloads[0]).toMatchObject({
      outcome: "ok",
      http_status: 302,
    });
  });

  it("refuses expired, forged and unknown tokens, also for files that it has", async () => {
    expect(await statusOf(linkFrom(0))).toBe(200);
    expect(await statusOf(linkFrom(895))).toBe(200);
    expect(await statusOf(linkFrom(960))).toBe(403);
    const valid = linkFrom(0);
    const { pathname, origin, searchParams } = new URL(valid);
    const expires = searchParams.get("expires") ?? searchParams.get("exp") ?? "";
    const empty = createHash("md5").update(`${expires}${pathname} `).digest("base64url");
    for (const forged of [
      valid.replace(/(sig|md5)=.{8}/, "$1=00000000"),
      valid.replace("vpn_ip_v1.mmdb", "vpn_ip_v1.csv.gz"),
      valid.replace(expires, String(Number(expires) + 600)),
      valid.replace("kid=2026b", "kid=2026a"),
      `${origin}${pathname}?md5=${empty}&expires=${expires}&kid=unknown`,
      `${origin}${pathname}?md5=${empty}&expires=${expires}`,
      origin + pathname,
    ]) {
      expect(forged).not.toBe(valid);
      expect([forged, await statusOf(forged)]).toEqual([forged, 403]);
    }
  });

  it("works with HEAD", async () => {
    const head = await fetch(linkFrom(0), { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(build.files.mmdb?.sizeBytes)]);
  });

  it("is purged after a withdrawal", async () => {
    const before = (await fetched()).length;
    expect(await statusOf(linkFrom(0))).toBe(200);
    expect(await fetched()).toHaveLength(before);
    const operation = { ...test.operator.operation(), rules: rulesOf(test.stage.settings) };
    await withdrawBuild(operation, build.id);
    await test.operator.settle();
    const { store } = test.service.services;
    await expect.poll(() => store.jobs.find("purge_build", build.id), { timeout: 60_000 }).toBeUndefined();
    expect(await readFile(join(directory, "purged"), "utf8")).toBe(`/${build.files.mmdb?.objectKey}\n`);
    expect((await customers[0]?.download("vpn_ip_v1", "mmdb"))?.status).toBe(503);
    expect(await statusOf(linkFrom(0), { headers: { range: "bytes=0-3" } })).toBe(206);
    await expect.poll(fetched, { timeout: 60_000 }).toHaveLength(before + 1);
  });
});
