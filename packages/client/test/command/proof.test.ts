import { readFile, rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { rollBack } from "../../../server/src/domain/builds/rollback.ts";
import type { ChainEntry } from "../../../server/src/domain/manifests/manifest.ts";
import { PrivateKey } from "../../../server/src/domain/manifests/signing-key.ts";
import { createSigningKey, rotateSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const FILE = "vpn_ip_v1.mmdb";
const TRUST = ".dbdepot-trust.json";
const UNTRUSTED = 5;

for (const stage of eitherStage()) {
  describe(`signed builds on ${stage.name}`, () => {
    let shell: Shell;
    beforeEach(async () => {
      shell = await Shell.open({}, stage);
      await shell.publish(ID, { mark: "one" });
    });
    afterEach(() => shell.dispose());

    const sync = (...options: string[]) => shell.run("sync", ID, ...options);
    const trust = async () => JSON.parse(await readFile(shell.database(TRUST), "utf8"));
    const file = () => readFile(shell.database(FILE));
    async function createKey() {
      const { key } = await createSigningKey(shell.test.operator.operation());
      await shell.test.operator.settle();
      return key;
    }
    async function expectRefused(message: RegExp, ...options: string[]) {
      const before = await file().catch(() => undefined);
      const { exitCode, out } = await sync(...options);
      expect(out).toMatch(message);
      expect(exitCode).toBe(UNTRUSTED);
      expect(await file().catch(() => undefined)).toEqual(before);
    }

    it("are not required while nothing is trusted", async () => {
      expect((await sync()).exitCode).toBe(0);
      expect(await shell.names()).toEqual([FILE]);
      expect((await shell.run("verify", ID)).out).toMatch(/ok .*matches build/);
    });

    it("make sync trust the key on first use, and only that key from then on", async () => {
      const key = await createKey();
      const { err, exitCode } = await sync();
      expect(exitCode).toBe(0);
      expect(err).toContain(key.publicKey);
      expect(await trust()).toMatchObject({ keys: [{ key_id: key.keyId, reason: "first use", expires: null }] });
      expect((await trust()).databases[ID].sequence).toBe(1);
      await shell.publish(ID, { mark: "two" });
      expect(await sync()).toMatchObject({ exitCode: 0, err: "" });
      expect((await trust()).databases[ID].sequence).toBe(2);
      expect((await shell.run("verify", ID)).out).toMatch(/ok .*matches the signed manifest of build/);

      await createSigningKey(shell.test.operator.operation(), { replace: true });
      const { buildId } = await shell.publish(ID, { mark: "three" });
      await expectRefused(new RegExp(`is signed with key \\w+, but ${key.keyId} is trusted here.*--trust`));
      const [, second] = await shell.test.service.services.store.signingKeys.list();
      expect((await sync("--trust", second?.publicKey ?? "")).exitCode).toBe(0);
      expect((await trust()).keys).toMatchObject([{ public_key: second?.publicKey, reason: "given" }]);
      expect((await shell.status()).files[FILE].build_id).toBe(buildId);
      expect((await sync()).exitCode).toBe(0);
    });

    it("are required when a key is given", async () => {
      const other = PrivateKey.generate();
      await expectRefused(
        /vpn_ip_v1 has no signature, although its vendor signs builds with key/,
        "--trust",
        other.publicKey,
      );
      const { publicKey } = await createKey();
      await expectRefused(/is trusted here/, "--trust", other.publicKey);
      expect((await sync("--trust", publicKey)).exitCode).toBe(0);
      const { exitCode, err } = await sync("--trust", "RWnonsense");
      expect(exitCode).toBe(2);
      expect(err).toContain("not a minisign public key");
    });

    it("are compared with files that were downloaded before a key was trusted", async () => {
      await sync();
      const { publicKey } = await createKey();
      expect((await sync("--trust", publicKey)).exitCode).toBe(0);
      expect((await trust()).databases[ID].sequence).toBe(1);
    });

    it("follow a rotation of the key, and refuse the old one after its overlap", async () => {
      const old = await createKey();
      await sync();
      const { key } = await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 0 });
      await shell.publish(ID, { mark: "two" });
      const { err, exitCode } = await sync();
      expect(exitCode).toBe(0);
      expect(err).toContain("which the old one endorses");
      const { keys } = await trust();
      expect(keys).toMatchObject([{ key_id: old.keyId }, { key_id: key.keyId, reason: "endorsed", expires: null }]);
      // The clock of the test service is a second ahead of the client's.
      await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(Date.parse(keys[0].expires));
      // Someone who has the old key signs another build with it.
      const { store, rules } = shell.test.service.services;
      const entry = (await store.manifests.latest(ID)) as ChainEntry;
      const body = entry.body.replace(`"sequence": ${entry.sequence}`, `"sequence": ${entry.sequence + 1}`);
      const signature = (await rules.privateKeys.read(old.keyId)).sign(body, "stolen");
      const forged = { ...entry, sequence: entry.sequence + 1, body, signature, keyId: old.keyId };
      await store.change((tables) => tables.manifests.append(forged));
      await shell.test.operator.settle();
      await rm(shell.database(FILE));
      await expectRefused(/which was replaced and has expired/);
    });

    it("accept a rollback by the vendor, but not an old manifest", async () => {
      await createKey();
      await shell.publish(ID, { mark: "two" });
      await sync();
      await rollBack(shell.test.operator.operation(), { versionId: ID });
      await shell.test.operator.settle();
      const { buildId } = await shell.publish(ID, { mark: "three" });
      expect((await sync()).exitCode).toBe(0);
      expect((await shell.status()).files[FILE].build_id).toBe(buildId);
      expect((await trust()).databases[ID].sequence).toBe(4);

      const document = await trust();
      document.databases[ID].sequence = 9;
      await writeFile(shell.database(TRUST), JSON.stringify(document));
      await shell.publish(ID, { mark: "four" });
      await expectRefused(/was rolled back: manifest 5 is older than 9, seen before/);
      document.databases[ID] = { sequence: 5, sha256: "0".repeat(64) };
      await writeFile(shell.database(TRUST), JSON.stringify(document));
      await expectRefused(/the history of vpn_ip_v1 was replaced: manifest 5 is not the one seen before/);
      document.databases[ID] = { sequence: 2, sha256: "0".repeat(64) };
      await writeFile(shell.database(TRUST), JSON.stringify(document));
      await expectRefused(/the history of vpn_ip_v1 was replaced: manifest 2/);
    });

    it("expose a manifest that was changed without the key", async () => {
      await createKey();
      await sync();
      await shell.publish(ID, { mark: "two" });
      const { store } = shell.test.service.services;
      const entry = (await store.manifests.latest(ID)) as ChainEntry;
      const body = entry.body.replace('"sequence": 2', '"sequence": 3').replace(/"sha256": "..../, '"sha256": "0000');
      await store.change((tables) => tables.manifests.append({ ...entry, sequence: 3, body }));
      await shell.test.operator.settle();
      await expectRefused(/the signature of vpn_ip_v1 is wrong/);
    });

    it("protect download and verify too, once a key is trusted", async () => {
      const { publicKey } = await createKey();
      await sync();
      const target = shell.path("copy.mmdb");
      expect((await shell.run("download", ID, "--format", "mmdb", "--to", target)).exitCode).toBe(0);
      const other = PrivateKey.generate().publicKey;
      const refused = await shell.run(
        "download",
        ID,
        "--format",
        "mmdb",
        "--to",
        shell.path("x.mmdb"),
        "--trust",
        other,
      );
      expect(refused).toMatchObject({ exitCode: UNTRUSTED, err: expect.stringContaining("is trusted here") });
      await expect(readFile(shell.path("x.mmdb"))).rejects.toThrow("ENOENT");
      expect((await trust()).keys).toMatchObject([{ public_key: publicKey }]);
      await writeFile(shell.database(FILE), "damaged");
      const verified = await shell.run("verify", ID);
      expect(verified.exitCode).toBe(1);
      expect(verified.out).toContain("does not match the signed manifest of build");
    });

    it("never replace a damaged trust file", async () => {
      await createKey();
      await sync();
      await writeFile(shell.database(TRUST), "{");
      await shell.publish(ID, { mark: "two" });
      await expectRefused(/\.dbdepot-trust\.json is damaged: restore it/);
      expect(await readFile(shell.database(TRUST), "utf8")).toBe("{");
    });

    it("leave no trace of a dry run", async () => {
      await createKey();
      expect((await sync("--dry-run")).exitCode).toBe(0);
      await expect(readFile(shell.database(TRUST))).rejects.toThrow("ENOENT");
    });
  });
}
