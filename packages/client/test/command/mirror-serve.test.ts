import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../../../rigs/harness/needs.ts";
import { createFreshnessKey } from "../../../server/src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { isPrivate } from "../../src/mirror/serve/access.ts";
import { MirrorProcess } from "./mirror-process.ts";
import { Shell } from "./shell.ts";

const run = promisify(execFile);
const ID = "vpn_ip_v1";
const FILE = `${ID}.mmdb`;
const WAIT = { timeout: 60_000 };
const sha256Of = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

describe("dbdepot mirror --serve", () => {
  let shell: Shell;
  let publicKey: string;
  let current: Awaited<ReturnType<Shell["publish"]>>;
  let mirror: MirrorProcess;
  beforeAll(async () => {
    shell = await Shell.open();
    ({ publicKey } = (await createSigningKey(shell.test.operator.operation())).key);
    current = await shell.publish(ID, { mark: "one", rows: 5000, sampleRows: 2 });
    mirror = await MirrorProcess.start(shell, publicKey);
    await mirror.serves(ID, current.buildId);
  });
  afterAll(async () => {
    await mirror.stop();
    await shell.dispose();
  });

  const filePath = () => `/${ID}/${current.buildId}/${FILE}`;
  it("serves what a static mirror serves, and nothing else", async () => {
    const names = await readdir(shell.path("mirror"), { recursive: true, withFileTypes: true });
    const paths = names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(shell.path("mirror").length));
    expect(paths).toContain(filePath());
    await writeFile(shell.path("mirror", ID, current.buildId, "other.txt"), "other");
    for (const path of paths) {
      const response = await fetch(mirror.url + path);
      const isSecret = path.startsWith("/.");
      expect([path, response.status]).toEqual([path, isSecret ? 404 : 200]);
      const body = Buffer.from(await response.arrayBuffer());
      if (!isSecret && !path.endsWith(".json")) expect(body).toEqual(await readFile(shell.path("mirror") + path));
      if (!isSecret && path.endsWith(".json")) {
        expect(JSON.parse(String(body))).toEqual(JSON.parse(await readFile(shell.path("mirror") + path, "utf8")));
      }
    }
    for (const path of [
      `/${ID}/${current.buildId}/other.txt`,
      "/",
      "/..%2f..%2fetc/passwd",
      "/__proto__",
      `/${ID}/chain/2.json`,
    ]) {
      expect([path, (await fetch(mirror.url + path)).status]).toEqual([path, 404]);
    }
    expect((await fetch(mirror.url + filePath(), { method: "POST", body: "x" })).status).toBe(405);
  });

  it("answers conditional requests and ranges", async () => {
    const url = mirror.url + filePath();
    const etag = `"${sha256Of(current.files.mmdb as Buffer)}"`;
    const whole = await fetch(url, { method: "HEAD" });
    expect(whole.headers.get("etag")).toBe(etag);
    expect(whole.headers.get("content-length")).toBe(String(current.files.mmdb?.length));
    expect(whole.headers.get("x-mirror-checked")).toMatch(/^20/);
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304);
    const part = await fetch(url, { headers: { range: "bytes=10-19", "if-range": etag } });
    expect([part.status, part.headers.get("content-range")]).toEqual([
      206,
      `bytes 10-19/${current.files.mmdb?.length}`,
    ]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(current.files.mmdb?.subarray(10, 20));
    expect((await fetch(url, { headers: { range: "bytes=10-19", "if-range": '"other"' } })).status).toBe(200);
    expect((await fetch(url, { headers: { range: "bytes=99999999-" } })).status).toBe(416);
    const signed = await fetch(`${mirror.url}/${ID}/signed.json`);
    const again = { headers: { "if-none-match": signed.headers.get("etag") ?? "" } };
    expect((await fetch(`${mirror.url}/${ID}/signed.json`, again)).status).toBe(304);
  });

  it("resumes a part of a file for curl", needs("curl"), async () => {
    const url = mirror.url + filePath();
    const target = shell.path("resumed.mmdb");
    await writeFile(target, current.files.mmdb?.subarray(0, 100) ?? "");
    await run("curl", ["-fsS", "-C", "-", "-o", target, url]);
    expect(await readFile(target)).toEqual(current.files.mmdb);
  });

  it("serves the vendor's statement of freshness, which clients check", async () => {
    const operation = { ...shell.test.operator.operation(), now: new Date() };
    await createFreshnessKey(operation, { validDays: 365, replace: true });
    await shell.test.operator.settle();
    mirror.signal("SIGHUP");
    const signed = async () => (await fetch(`${mirror.url}/${ID}/signed.json`)).json();
    await expect.poll(signed, WAIT).toHaveProperty("freshness.statement");
    const { freshness } = (await signed()) as { freshness: { statement: string; signature: string } };
    const get = async (path: string) => (await fetch(`${mirror.url}/${ID}/${path}`)).text();
    expect(await get("freshness.json")).toBe(freshness.statement);
    expect(await get("freshness.json.minisig")).toBe(freshness.signature);
    expect(await get("freshness-key.json")).toContain('"role": "freshness"');
    const from = { DBDEPOT_CLIENT_URL: "", DBDEPOT_CLIENT_KEY: "", DBDEPOT_CLIENT_FROM: mirror.url };
    const synced = await shell.runWith(from, "sync", ID, "--trust", publicKey, "--json");
    const { issued, valid_until: until } = JSON.parse(freshness.statement);
    expect(JSON.parse(synced.out).files).toMatchObject([{ result: "changed", current_as_of: issued }]);
    const metrics = await (await fetch(`${mirror.url}/metrics`)).text();
    expect(metrics).toContain(`freshness_valid_until_timestamp_seconds{database="${ID}"} ${Date.parse(until) / 1000}`);
  });

  it("serves no file that is damaged, and downloads it again", async () => {
    await mirror.serves(ID, current.buildId);
    const path = shell.path("mirror", ID, current.buildId, FILE);
    const bytes = await readFile(path);
    bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
    await writeFile(path, bytes);
    expect((await fetch(mirror.url + filePath())).status).toBe(503);
    mirror.signal("SIGHUP");
    await expect.poll(() => mirror.log, WAIT).toContain("is damaged, so it was removed");
    mirror.signal("SIGHUP");
    const repaired = async () => Buffer.from(await (await fetch(mirror.url + filePath())).arrayBuffer());
    await expect.poll(repaired, WAIT).toEqual(current.files.mmdb);
  });

  it("reports its state in /healthz and /metrics, and every request in its log", async () => {
    const health = await fetch(`${mirror.url}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: "ok",
      databases: 1,
      vendor: "reachable",
      checked: expect.any(String),
    });
    const text = await (await fetch(`${mirror.url}/metrics`)).text();
    expect(text).toMatch(/^dbdepot_mirror_requests_total\{kind="file",status="200"\} \d+$/m);
    expect(text).toMatch(/^dbdepot_mirror_vendor_up 1$/m);
    expect(text).toMatch(/^dbdepot_mirror_manifest_sequence\{database="vpn_ip_v1"\} 1$/m);
    expect(mirror.log).toMatch(/ 127\.0\.0\.1 - "GET \/vpn_ip_v1\/signed\.json" 200 \d+ \d+ms /);
    expect(mirror.log).not.toContain(shell.customer.key);
  });

  it("refuses public addresses without tokens", () => {
    for (const address of [
      "127.0.0.1",
      "::ffff:10.1.2.3",
      "172.31.0.1",
      "192.168.1.1",
      "fd00::1",
      "fe80::1%eth0",
      "::1",
    ]) {
      expect([address, isPrivate(address)]).toEqual([address, true]);
    }
    for (const address of ["172.32.0.1", "8.8.8.8", "::ffff:8.8.8.8", "2001:db8::1", "", "100.64.0.1"]) {
      expect([address, isPrivate(address)]).toEqual([address, false]);
    }
  });

  it("explains wrong options", async () => {
    const fails = async (...options: string[]) => {
      const { exitCode, err } = await shell.run("mirror", shell.path("mirror"), ...options);
      expect(exitCode).not.toBe(0);
      return err;
    };
    expect(await fails("--tokens", "x")).toContain("need --serve");
    expect(await fails("--serve", "nowhere:x")).toContain("is not HOST:PORT");
    expect(await fails("--serve", "--tokens", shell.path("missing"))).toContain("cannot be read (ENOENT)");
    await writeFile(shell.path("plain"), "web-1 secret-token\n");
    const err = await fails("--serve", "--tokens", shell.path("plain"));
    expect(err).toContain("plain:1: expected a name and the SHA-256");
    expect(err).not.toContain("secret-token");
    expect(await fails("--serve", "--tls-cert", shell.path("plain"))).toContain("belong together");
  });
});
