import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parsePublicKey, type SignaturePublicKey } from "@dbdepot/formats/minisign";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { importMirror } from "../../../server/src/domain/builds/import.ts";
import { rollBack } from "../../../server/src/domain/builds/rollback.ts";
import { PrivateKey } from "../../../server/src/domain/manifests/signing-key.ts";
import { createSigningKey, rotateSigningKey } from "../../../server/src/domain/manifests/signing-keys.ts";
import { runCommand } from "../../../server/test/commands/terminal.ts";
import { Shell } from "./shell.ts";

const ID = "vpn_ip_v1";
const FILE = "vpn_ip_v1.mmdb";

for (const stage of eitherStage()) {
  describe(`dbdepot-server import on ${stage.name}`, () => {
    /** The vendor and its customer, who has a mirror. */
    let shell: Shell;
    /** The customer's own server. */
    let inner: TestService;
    let publicKey: string;
    beforeEach(async () => {
      shell = await Shell.open();
      inner = await testService(stage);
      ({ publicKey } = (await createSigningKey(shell.test.operator.operation())).key);
      await shell.publish(ID, { mark: "one", sampleRows: 2 });
    });
    afterEach(async () => {
      await shell.dispose();
      await inner.dispose();
    });

    const site = (...names: string[]) => shell.path("mirror", ...names);
    const mirror = async () => expect((await shell.run("mirror", site())).exitCode).toBe(0);
    async function importIt(...trust: string[]) {
      const keys = (trust.length > 0 ? trust : [publicKey]).map((key) => parsePublicKey(key) as SignaturePublicKey);
      const { operator, service } = inner;
      const publisher = { operation: async () => operator.operation(), objects: service.services.objects };
      const imported = await importMirror(publisher, site(), keys);
      await operator.settle();
      return imported;
    }
    /** Syncs from the inner server, with the vendor's key. */
    async function sync() {
      const name = `Machine ${Math.random()}`;
      const machine = await inner.operator.customer(name);
      await inner.operator.grant(name, "vpn_ip");
      const environment = { DBDEPOT_CLIENT_URL: machine.apiUrl, DBDEPOT_CLIENT_KEY: machine.key };
      return shell.runWith(environment, "sync", ID, "--trust", publicKey);
    }

    it("keeps build ids, manifests and signatures, so that customers verify the vendor's key", async () => {
      await mirror();
      const [first] = await importIt();
      expect(first).toMatchObject({ id: ID, sequence: 1, isChanged: true });
      expect(await sync()).toMatchObject({ exitCode: 0 });
      expect(await importIt()).toMatchObject([{ isChanged: false }]);
      await shell.publish(ID, { mark: "two" });
      await rollBack(shell.test.operator.operation(), { versionId: ID });
      const newest = await shell.publish(ID, { mark: "three" });
      await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 30 });
      await shell.test.operator.settle();
      await mirror();
      const [, second] = await shell.test.service.services.store.signingKeys.list();
      await importIt(second?.publicKey ?? "");
      expect(await sync()).toMatchObject({ exitCode: 0 });
      expect(await readFile(shell.database(FILE))).toEqual(newest.files.mmdb);
      const { store } = inner.service.services;
      const vendor = shell.test.service.services.store;
      expect(await store.manifests.latest(ID)).toEqual(await vendor.manifests.latest(ID));
      expect(await store.families.byBase("vpn_ip")).toMatchObject({ visibility: "private" });
    });

    it("refuses other keys and changed files, and changes nothing then", async () => {
      await mirror();
      await expect(importIt(PrivateKey.generate().publicKey)).rejects.toThrow("is not signed by a trusted key");
      const { build_id: build } = JSON.parse(await readFile(site(ID, "manifest.json"), "utf8"));
      const path = site(ID, build, FILE);
      const bytes = await readFile(path);
      await writeFile(path, Buffer.concat([bytes, Buffer.from("x")]));
      await expect(importIt()).rejects.toThrow("is not the signed file");
      expect(await inner.service.services.store.builds.list(ID)).toEqual([]);
      await writeFile(path, bytes);
      expect(await importIt()).toMatchObject([{ isChanged: true }]);
      await shell.publish(ID, { mark: "two" });
      await shell.publish(ID, { mark: "three" });
      await mirror();
      await writeFile(site(ID, "chain", "2.json"), await readFile(site(ID, "chain", "1.json")));
      await expect(importIt()).rejects.toThrow("manifest 2 of vpn_ip_v1 was changed");
    });

    it("publishes only keys that are trusted or endorsed, whatever the mirror lists", async () => {
      const thief = PrivateKey.generate();
      await mirror();
      const path = site("dbdepot-keys.json");
      const { keys } = JSON.parse(await readFile(path, "utf8"));
      const forged = { ...keys[0], key_id: thief.keyId, public_key: thief.publicKey };
      const expired = { ...keys[0], expires: "2000-01-01T00:00:00.000Z" };
      await writeFile(path, JSON.stringify({ format: 1, keys: [forged, expired] }));
      await importIt();
      const listed = () => inner.service.services.store.signingKeys.list();
      expect(await listed()).toMatchObject([{ publicKey, expires: null }]);

      // The successor of the trusted key is published with it and sets its expiry.
      const { key } = await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 30 });
      await shell.test.operator.settle();
      await mirror();
      await importIt(key.publicKey);
      expect((await listed()).map((one) => one.publicKey)).toEqual([publicKey, key.publicKey]);
    });

    it("needs every key that signed the history, and verifies its signatures", async () => {
      const { key } = await rotateSigningKey(shell.test.operator.operation(), { overlapDays: 30 });
      await shell.test.operator.settle();
      await mirror();
      const { keyId = "" } = parsePublicKey(publicKey) ?? {};
      await expect(importIt(key.publicKey)).rejects.toThrow(`is signed with key ${keyId}, which is not trusted`);
      // An attacker who controls the mirror signs the old manifest again, using the id of the vendor's key.
      const signed = JSON.parse(await readFile(site(ID, "chain", "1.json"), "utf8"));
      const good = JSON.stringify(signed);
      signed.signature = signed.signature.replace(/trusted comment: dbdepot/, "trusted comment: Dbdepot");
      await writeFile(site(ID, "chain", "1.json"), JSON.stringify(signed));
      await expect(importIt(publicKey, key.publicKey)).rejects.toThrow(
        "the signature of manifest 1 of vpn_ip_v1 is wrong",
      );
      await writeFile(site(ID, "chain", "1.json"), good);
      expect(await importIt(publicKey, key.publicKey)).toMatchObject([{ isChanged: true }]);
    });

    it("keeps the vendor's history apart from the server's own", async () => {
      await mirror();
      await importIt();
      await createSigningKey(inner.operator.operation());
      const publish = inner.operator.publish(ID, "own");
      await expect(publish).rejects.toThrow("is imported from a mirror");
      await inner.operator.addDatabase("own_ip_v1");
      await inner.operator.publish("own_ip_v1");
      expect((await inner.service.services.store.manifests.latest("own_ip_v1"))?.sequence).toBe(1);
    });
  });
}

describe("dbdepot-server import", () => {
  it("imports into versions without builds of their own only, and says what is wrong", async () => {
    const shell = await Shell.open();
    const { key } = await createSigningKey(shell.test.operator.operation());
    await shell.publish(ID, { mark: "one" });
    const directory = shell.path("mirror");
    await shell.run("mirror", directory);
    const environment = { DBDEPOT_DATA_DIR: join(shell.folder, "data") };
    const run = (...argv: string[]) => runCommand(["import", ...argv], environment);
    expect(await run(directory, "--trust", key.publicKey)).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^imported {3}vpn_ip_v1: manifest 1, build \S+\n$/),
    });
    expect((await run(directory, "--trust", key.publicKey)).out).toMatch(/^unchanged/);
    expect(await run(directory, "--trust", "nonsense")).toMatchObject({ exitCode: 2 });
    const nowhere = await run(shell.path("nowhere"), "--trust", key.publicKey);
    expect(nowhere.err).toContain('is this a directory that "dbdepot mirror" made?');
    // Import into the vendor's own server, where the same builds exist already.
    expect(
      await runCommand(["import", directory, "--trust", key.publicKey], shell.test.stage.environment),
    ).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^unchanged/),
    });
    await shell.dispose();
  });
});
