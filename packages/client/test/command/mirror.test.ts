import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../../../rigs/harness/free-port.ts";
import { needs } from "../../../../rigs/harness/needs.ts";
import { startStaticSite } from "../../../../rigs/harness/servers/nginx.ts";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { withdrawBuild } from "../../../server/src/domain/builds/rollback.ts";
import { PrivateKey } from "../../../server/src/domain/manifests/signing-key.ts";
import { createSigningKey, rotateSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { verify } from "../../../server/test/domain/manifests/minisign-tool.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const FILE = "vpn_ip_v1.mmdb";
const UNTRUSTED = 5;
/** Air-gapped machines have neither a service URL nor a key. */
const NO_SERVICE = { DBDEPOT_CLIENT_URL: "", DBDEPOT_CLIENT_KEY: "" };

for (const stage of eitherStage()) {
  describe(`dbdepot mirror on ${stage.name}`, () => {
    let shell: Shell;
    let publicKey: string;
    let first: Awaited<ReturnType<Shell["publish"]>>;
    beforeEach(async () => {
      shell = await Shell.open({}, stage);
      ({ publicKey } = (await createSigningKey(shell.test.operator.operation())).key);
      first = await shell.publish(ID, { mark: "one", sampleRows: 2 });
    });
    afterEach(() => shell.dispose());

    const site = (...names: string[]) => shell.path("mirror", ...names);
    const mirror = (...options: string[]) => shell.run("mirror", site(), ...options);
    const sync = (...options: string[]) =>
      shell.runWith(NO_SERVICE, "sync", ID, "--from", site(), "--trust", publicKey, ...options);
    const file = () => readFile(shell.database(FILE));
    const builds = async () => (await readdir(site(ID))).filter((name) => name.length === 36).sort();
    const drafts = async () =>
      (await readdir(site(), { recursive: true })).filter((name) => /\/\.|^\./.test(name) && !name.includes("trust"));

    it("copies everything that is licensed, with manifests and signatures, and updates it", async () => {
      await shell.publish("bogon_ip_v1", { mark: "bogon" });
      await shell.publish("tor_ip_v1", { mark: "not licensed" });
      const { exitCode, out } = await mirror("--trust", publicKey);
      expect(exitCode).toBe(0);
      expect(out).toMatch(/^changed {4}bogon_ip_v1: manifest 1, .*\nchanged {4}vpn_ip_v1: manifest 1, build \S+\n$/);
      expect((await readdir(site())).sort()).toEqual([
        ".dbdepot-trust.json",
        "bogon_ip_v1",
        "dbdepot-keys.json",
        "dbdepot-mirror.json",
        "vpn_ip_v1",
      ]);
      expect((await readdir(site(ID, first.buildId))).sort()).toEqual([
        "metadata.json",
        "vpn_ip_v1.csv.gz",
        FILE,
        "vpn_ip_v1.sample.csv.gz",
        "vpn_ip_v1.sample.mmdb",
      ]);
      expect(await readFile(site(ID, first.buildId, "metadata.json"))).toEqual(first.document);
      expect(await readFile(site(ID, first.buildId, FILE))).toEqual(first.files.mmdb);
      const [manifest = "", signature = ""] = await Promise.all(
        ["manifest.json", "manifest.json.minisig"].map((name) => readFile(site(ID, name), "utf8")),
      );
      expect(verify(manifest, signature, publicKey)).toBe(true);
      expect((await mirror()).out).toMatch(/^unchanged.*\nunchanged.*\n$/);

      const list = await shell.runWith(NO_SERVICE, "list", "--from", site());
      expect({ exitCode: list.exitCode, err: list.err }).toEqual({ exitCode: 0, err: "" });
      expect(list.out).toMatch(/^bogon_ip_v1 +licensed.*\nvpn_ip_v1 +licensed/m);
      expect(list.out).not.toContain("tor_ip_v1");

      const second = await shell.publish(ID, { mark: "two" });
      expect(await shell.json(0, "mirror", site())).toMatchObject({
        ok: true,
        databases: [
          { result: "unchanged" },
          { database: ID, result: "changed", sequence: 2, build_id: second.buildId },
        ],
      });
      // Clients may still be downloading the first build.
      expect(await builds()).toEqual([first.buildId, second.buildId].sort());
      const third = await shell.publish(ID, { mark: "three" });
      await mirror();
      expect(await builds()).toEqual([second.buildId, third.buildId].sort());
      expect((await readdir(site(ID, "chain"))).sort()).toEqual(["1.json", "2.json", "3.json"]);
      expect(await drafts()).toEqual([]);
    });

    it("serves sync from a directory without the service, and in the order of the vendor", async () => {
      await mirror();
      expect((await sync()).exitCode).toBe(0);
      expect(await file()).toEqual(first.files.mmdb);
      expect((await sync()).out).toContain("0 changed, 1 unchanged");
      for (const mark of ["two", "three"]) first = await shell.publish(ID, { mark });
      await mirror();
      expect((await sync("--formats", "mmdb,csvgz")).exitCode).toBe(0);
      expect(await file()).toEqual(first.files.mmdb);
      expect(await readFile(shell.database("vpn_ip_v1.csv.gz"))).toEqual(first.files.csvgz);
      const verified = await shell.runWith(NO_SERVICE, "verify", ID, "--from", site());
      expect(verified).toMatchObject({ exitCode: 0, out: expect.stringContaining("the signed manifest") });
      const all = await shell.runWith(NO_SERVICE, "sync", "--all", "--from", site());
      expect(all.out).toContain("0 changed, 1 unchanged");
      // The history continues at the service.
      await shell.publish(ID, { mark: "four" });
      expect((await shell.run("sync", ID)).out).toContain("1 changed");
    });

    it("serves sync from a plain web server, and resumes", needs("nginx"), async () => {
      await mirror();
      const port = await freePort();
      await using _ = await startStaticSite(port, site());
      const from = `http://127.0.0.1:${port}`;
      const web = (...options: string[]) => shell.runWith(NO_SERVICE, "sync", ID, "--from", from, ...options);
      expect(await web()).toMatchObject({ exitCode: 0, err: expect.stringContaining(publicKey) });
      expect(await file()).toEqual(first.files.mmdb);
      const second = await shell.publish(ID, { mark: "two", rows: 5000 });
      await mirror();
      expect((await web()).exitCode).toBe(0);
      expect(await file()).toEqual(second.files.mmdb);
      expect((await shell.runWith(NO_SERVICE, "sync", "tor_ip_v1", "--from", from)).exitCode).not.toBe(0);
      const nested = await shell.runWith(NO_SERVICE, "sync", ID, "--from", `${from}/nowhere`);
      expect(nested.exitCode).not.toBe(0);
    });

    it("cannot lie: changed files, older manifests and other keys are refused", async () => {
      await mirror();
      await cp(site(), shell.path("old"), { recursive: true });
      await sync();
      const second = await shell.publish(ID, { mark: "two" });
      await mirror();
      const good = join(second.buildId, FILE);
      const before = await file();
      const bytes = await readFile(site(ID, good));

      const changed = Buffer.from(bytes);
      changed[changed.length - 3] = (changed.at(-3) ?? 0) ^ 1;
      await writeFile(site(ID, good), changed);
      const damaged = await sync();
      expect(damaged.exitCode).not.toBe(0);
      expect(damaged.out).toMatch(/do not match|damaged/);
      await truncate(site(ID, good), 10);
      expect((await sync()).exitCode).not.toBe(0);
      expect(await file()).toEqual(before);
      // The mirror repairs a file of the wrong size.
      await mirror();
      expect(await readFile(site(ID, good))).toEqual(bytes);
      expect((await sync()).exitCode).toBe(0);

      await rename(site(), shell.path("new"));
      await rename(shell.path("old"), site());
      const replayed = await sync();
      expect(replayed.exitCode).toBe(UNTRUSTED);
      expect(replayed.out).toContain("was rolled back: manifest 1 is older than 2");
      expect(await file()).toEqual(bytes);

      const thief = PrivateKey.generate();
      const signed = JSON.parse(await readFile(site(ID, "signed.json"), "utf8"));
      const body = signed.manifest
        .replace('"sequence": 1', '"sequence": 3')
        .replace('"previous": null', `"previous": "${"0".repeat(64)}"`);
      await writeFile(site(ID, "signed.json"), JSON.stringify({ manifest: body, signature: thief.sign(body, "x") }));
      const keys = { format: 1, keys: [{ key_id: thief.keyId, public_key: thief.publicKey, endorsement: null }] };
      await writeFile(site("dbdepot-keys.json"), JSON.stringify(keys));
      const forged = await sync();
      expect(forged.exitCode).toBe(UNTRUSTED);
      expect(forged.out).toContain(`is signed with key ${thief.keyId}`);
      await rm(site(ID, "signed.json"));
      expect((await sync()).exitCode).not.toBe(0);
      expect(await file()).toEqual(bytes);
    });

    it("passes on that the last build was withdrawn, and deletes it", async () => {
      await mirror();
      expect((await sync()).exitCode).toBe(0);
      await withdrawBuild(shell.test.operator.operation(), first.buildId);
      await shell.test.operator.settle();
      expect(await mirror()).toMatchObject({ exitCode: 1, out: expect.stringContaining("withdrawn the last build") });
      expect(await builds()).toEqual([]);
      expect(await sync()).toMatchObject({ exitCode: 1, out: expect.stringContaining("NOT_AVAILABLE") });
      expect(await file()).toEqual(first.files.mmdb);
      const second = await shell.publish(ID, { mark: "two" });
      expect((await mirror()).exitCode).toBe(0);
      expect((await sync()).exitCode).toBe(0);
      expect(await file()).toEqual(second.files.mmdb);
    });

    it("passes on rotations of the key", async () => {
      await mirror();
      await sync();
      await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 30 });
      const second = await shell.publish(ID, { mark: "two" });
      await mirror();
      const { exitCode, err } = await shell.runWith(NO_SERVICE, "sync", ID, "--from", site());
      expect(exitCode).toBe(0);
      expect(err).toContain("which the old one endorses");
      expect(await file()).toEqual(second.files.mmdb);
    });

    it("continues after an interruption", async () => {
      await mkdir(site(ID, "chain"), { recursive: true });
      await mkdir(site(ID, first.buildId), { recursive: true });
      await writeFile(site(ID, first.buildId, FILE), "half");
      await writeFile(site(ID, "chain", "1.json"), "{");
      expect((await sync()).exitCode).not.toBe(0);
      expect((await mirror()).exitCode).toBe(0);
      expect((await sync()).exitCode).toBe(0);
      expect(await file()).toEqual(first.files.mmdb);
    });
  });
}

describe("dbdepot mirror", () => {
  it("refuses databases without signatures", async () => {
    const shell = await Shell.open();
    await shell.publish(ID);
    const { exitCode, out } = await shell.run("mirror", shell.path("mirror"));
    expect(exitCode).toBe(UNTRUSTED);
    expect(out).toContain("vpn_ip_v1 is not signed, so it cannot be mirrored");
    await shell.dispose();
  });
});
