import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PrivateKey } from "../../../server/src/domain/manifests/signing-key.ts";
import { createSigningKey, rotateSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { serveEndlessly } from "./endless-mirror.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const FILE = "vpn_ip_v1.mmdb";
const UNTRUSTED = 5;

describe("a mirror that lies", () => {
  let shell: Shell;
  let publicKey: string;
  let first: Awaited<ReturnType<Shell["publish"]>>;
  const servers: Server[] = [];
  beforeEach(async () => {
    shell = await Shell.open();
    ({ publicKey } = (await createSigningKey(shell.test.operator.operation())).key);
    first = await shell.publish(ID, { mark: "one", sampleRows: 2 });
    await mirror();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
    await shell.dispose();
  });

  const site = (...names: string[]) => shell.path("mirror", ...names);
  const mirror = async () => expect((await shell.run("mirror", site())).exitCode).toBe(0);
  const from = (source = site()) => ({
    DBDEPOT_CLIENT_URL: "",
    DBDEPOT_CLIENT_KEY: "",
    DBDEPOT_CLIENT_FROM: source,
  });
  const sync = (...options: string[]) => shell.runWith(from(), "sync", ...options);
  const download = (...options: string[]) => shell.runWith(from(), "download", ID, ...options);
  const trust = async () => JSON.parse(await readFile(shell.database(".dbdepot-trust.json"), "utf8"));
  const change = async (path: string, edit: (text: string) => string) =>
    writeFile(path, edit(await readFile(path, "utf8")));
  /** Every file of the customer, outside the mirror. */
  const written = async () =>
    (await readdir(shell.folder, { recursive: true })).filter((name) => !name.startsWith("mirror")).sort();

  const endless = async (path: string) => {
    const { sent, server } = await serveEndlessly(site(), (url) => url === path);
    servers.push(server);
    return sent;
  };

  /** Signs a new manifest with a key that the vendor has replaced. */
  async function forge(key: PrivateKey) {
    const body = await readFile(site(ID, "manifest.json"), "utf8");
    const forged = body.replace(/"created": "[^"]*"/, '"created": "2026-11-17T00:00:00.000Z"');
    await writeFile(site(ID, "signed.json"), JSON.stringify({ manifest: forged, signature: key.sign(forged, "x") }));
  }

  it("cannot use a replaced key once the new one is given", async () => {
    const { services } = shell.test.service;
    const [old] = await services.store.signingKeys.list();
    await sync(ID, "--trust", publicKey);
    const { key } = await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 30 });
    await shell.publish(ID, { mark: "two" });
    await mirror();
    expect((await sync(ID)).exitCode).toBe(0);
    expect((await trust()).keys).toHaveLength(2);
    // The directory is up to date, and the new key still replaces the old one.
    expect(await sync(ID, "--trust", key.publicKey)).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining("1 unchanged"),
    });
    expect((await trust()).keys).toMatchObject([{ key_id: key.keyId, reason: "given" }]);
    await forge(await services.rules.privateKeys.read(old?.keyId ?? ""));
    for (const options of [["--force"], ["--force", "--trust", key.publicKey]]) {
      const { exitCode, out } = await sync(ID, ...options);
      expect(out).toMatch(/is signed with key \w+, but \w+ is trusted here/);
      expect(exitCode).toBe(UNTRUSTED);
    }
  });

  it("is detected when a key is given for files that are already there", async () => {
    await sync(ID);
    const other = PrivateKey.generate().publicKey;
    expect(await sync(ID, "--trust", other)).toMatchObject({
      exitCode: UNTRUSTED,
      out: expect.stringContaining("is trusted here"),
    });
    expect((await trust()).keys).toMatchObject([{ public_key: publicKey, reason: "first use" }]);
    expect((await sync(ID, "--trust", publicKey)).out).toContain("1 unchanged");
    expect((await trust()).keys).toMatchObject([{ public_key: publicKey, reason: "given" }]);
    // From then on, an up-to-date directory needs a conditional request only.
    const details = await sync(ID, "--trust", publicKey, "--verbose");
    expect(details.err).toContain("no new build since");
  });

  it("cannot write outside the directory with a date or an id", async () => {
    await sync(ID, "--trust", publicKey, "--keep", "2");
    const before = await written();
    const second = await shell.publish(ID, { mark: "two" });
    await mirror();
    const metadata = site(ID, second.buildId, "metadata.json");
    const good = await readFile(metadata, "utf8");
    await change(metadata, (text) => text.replace(/"updated": ?"[^"]*"/, '"updated":"2026-11-01/../../../evil"'));
    expect(await sync(ID, "--keep", "2")).toMatchObject({ exitCode: 1, out: expect.stringContaining("invalid date") });
    await writeFile(metadata, good.replace(/"updated": ?"[^"]*"/, '"updated":"1999-01-01"'));
    const changed = await sync(ID, "--keep", "2");
    expect(changed.out).toMatch(/the metadata of vpn_ip_v1 is not the signed one/);
    expect(changed.exitCode).toBe(UNTRUSTED);
    await writeFile(metadata, good);
    await change(site("dbdepot-mirror.json"), (text) => text.replace(`"${ID}"`, '"../../../evil_v1"'));
    await cp(site(ID), shell.path("mirror", "evil_v1"), { recursive: true });
    const all = await sync("--all");
    expect(all.out).toContain("the catalogue has an invalid database id");
    expect(all.exitCode).not.toBe(0);
    expect(await written()).toEqual(before);
  });

  it("cannot make download accept a forged file", async () => {
    const target = shell.path("copy.mmdb");
    const file = ["--format", "mmdb", "--to", target];
    // If no key is given, the mirror itself supplies everything that could be compared.
    for (const more of [[], ["--sample"]]) {
      const refused = await download(...file, ...more);
      expect(refused.err).toContain("a mirror can be trusted only with the vendor's public key");
      expect(refused.exitCode).toBe(UNTRUSTED);
    }
    expect((await download(...file, "--trust", publicKey)).exitCode).toBe(0);
    expect(await readFile(target)).toEqual(first.files.mmdb);
    expect((await download(...file, "--trust", publicKey)).out).toContain("already current");
    const sample = ["--sample", "--to", shell.path("sample.mmdb"), "--trust", publicKey];
    expect((await download(...sample)).exitCode).toBe(0);

    await forge(PrivateKey.generate());
    const forged = await download(...file, "--trust", publicKey);
    expect(forged.err).toContain("is trusted here");
    expect(forged.exitCode).toBe(UNTRUSTED);
    expect((await download(...sample)).exitCode).toBe(UNTRUSTED);
    // The same happens if the service lies about a file on disk.
    await writeFile(target, "forged");
    const other = PrivateKey.generate().publicKey;
    expect((await shell.run("download", ID, ...file, "--trust", other)).exitCode).toBe(UNTRUSTED);
  });

  it("cannot fill the disk: a file ends at its signed size", async () => {
    const sent = await endless(`/${ID}/${first.buildId}/${FILE}`);
    const { exitCode, out } = await shell.runWith(from(sent.url), "sync", ID, "--trust", publicKey);
    expect(out).toContain("do not match");
    expect(exitCode).toBe(1);
    expect(sent.bytes).toBeLessThan(100_000_000);
    expect(await shell.names()).toEqual([".dbdepot-trust.json"]);
  });

  it("cannot fill the memory: a document has a maximum size", async () => {
    const sent = await endless(`/${ID}/signed.json`);
    const { exitCode } = await shell.runWith(from(sent.url), "sync", ID, "--trust", publicKey);
    expect(exitCode).not.toBe(0);
    expect(sent.bytes).toBeLessThan(100_000_000);
  });
});
