import { hash } from "node:crypto";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Endorsement, Manifest } from "@dbdepot/contract/v2/manifests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage, filesUnder } from "../../../../../rigs/harness/service/stages.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import type { ChainEntry } from "../../../src/domain/manifests/manifest.ts";
import { PrivateKey } from "../../../src/domain/manifests/signing-key.ts";
import { createSigningKey, rotateSigningKey } from "../../../src/domain/manifests/signing-keys.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";
import { verify } from "./minisign-tool.ts";

const id = "vpn_ip_v1";

async function chainOf(depot: Depot): Promise<ChainEntry[]> {
  const latest = await depot.store.manifests.latest(id);
  const sequences = Array.from({ length: latest?.sequence ?? 0 }, (_, i) => i + 1);
  const chain = await Promise.all(sequences.map((sequence) => depot.store.manifests.bySequence(id, sequence)));
  return chain.filter((entry) => entry !== undefined);
}

/** Checks every signature and every link, as a customer would. */
async function expectValidChain(depot: Depot): Promise<Manifest[]> {
  const keys = new Map((await depot.store.signingKeys.list()).map((key) => [key.keyId, key.publicKey]));
  const chain = await chainOf(depot);
  let previous: string | null = null;
  for (const [i, { body, signature, keyId, sequence, buildId }] of chain.entries()) {
    const manifest = JSON.parse(body) as Manifest;
    expect(verify(body, signature, keys.get(keyId) ?? "")).toBe(true);
    expect(manifest).toMatchObject({ format: 1, id, sequence: i + 1, build_id: buildId, previous });
    expect(sequence).toBe(i + 1);
    previous = hash("sha256", body);
  }
  return chain.map(({ body }) => JSON.parse(body));
}

for (const stage of eitherStage()) {
  describe(`signing on ${stage.name}`, () => {
    let depot: Depot;
    let first: string;
    beforeAll(async () => {
      depot = await Depot.open(stage);
      await depot.addVersion(id);
      first = (await depot.publish(id, sampleBuild(id, { mark: "1", sampleRows: 2 }))).build.id;
    });
    afterAll(() => depot.dispose());

    it("is off until there is a key", async () => {
      expect(await chainOf(depot)).toEqual([]);
    });

    it("starts with the current builds when a key is created", async () => {
      const { key, signedVersionIds } = await createSigningKey(depot.operation());
      expect(signedVersionIds).toEqual([id]);
      const [manifest] = await expectValidChain(depot);
      const build = await depot.current(id);
      expect(manifest).toMatchObject({
        build_id: first,
        published: build?.published?.toISOString(),
        metadata: { size_bytes: build?.metadata.length, sha256: hash("sha256", build?.metadata ?? "") },
        previous: null,
      });
      expect(Object.keys(manifest?.files ?? {}).sort()).toEqual(["csvgz", "mmdb", "sample_csvgz", "sample_mmdb"]);
      expect(manifest?.files.mmdb).toEqual({
        size_bytes: build?.files.mmdb?.sizeBytes,
        checksums: build?.files.mmdb?.checksums,
      });
      await expect(createSigningKey(depot.operation())).rejects.toThrow(`key ${key.keyId} already signs`);
    });

    it("adds a manifest when a build is published, rolled back or withdrawn", async () => {
      const second = (await depot.publish(id, sampleBuild(id, { mark: "2" }), { force: true })).build.id;
      await rollBack(depot.operation(), { versionId: id });
      await rollBack(depot.operation(), { versionId: id, to: second });
      await withdrawBuild(depot.operation(), second);
      await withdrawBuild(depot.operation(), first);
      const third = (await depot.publish(id, sampleBuild(id, { mark: "3" }), { force: true })).build.id;
      const chain = await expectValidChain(depot);
      expect(chain.map(({ build_id: buildId }) => buildId)).toEqual([first, second, first, second, first, null, third]);
      expect(chain[5]).toMatchObject({ published: null, metadata: null, files: {} });
      expect((await depot.store.manifests.byBuild(id, first))?.sequence).toBe(5);
      const signatures = await depot.store.manifests.signaturesOf(id, [first, "unknown"]);
      expect(signatures).toEqual(new Map([[first, { sequence: 5, keyId: expect.stringMatching(/^[0-9A-F]{16}$/) }]]));
    });

    it("adds none when nothing becomes current", async () => {
      const before = await chainOf(depot);
      const { isUnchanged } = await depot.publish(id, sampleBuild(id, { mark: "3" }));
      expect(isUnchanged).toBe(true);
      expect(await chainOf(depot)).toEqual(before);
    });

    it("keeps private keys in files that only their owner can read, and nowhere else", async () => {
      const directory = depot.settings.signingKeysDir;
      const [name = ""] = await readdir(directory);
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
      expect((await stat(directory)).mode & 0o777).toBe(0o700);
      const secret = (await readFile(join(directory, name), "utf8")).split("\n")[1] ?? "";
      expect(secret).toMatch(/^[\w+/=]{64}$/);
      const tables = JSON.stringify([
        await depot.everything(),
        await depot.store.signingKeys.list(),
        await chainOf(depot),
      ]);
      expect(tables).not.toContain(secret);
      const key = PrivateKey.generate();
      expect(inspect({ key })).toBe(`{ key: PrivateKey ${key.keyId} }`);
      expect(JSON.stringify(key)).not.toContain("PRIVATE");
    });

    it("fails without changing anything if the key cannot be read", async () => {
      const directory = depot.settings.signingKeysDir;
      const [name = ""] = await readdir(directory);
      const path = join(directory, name);
      const current = await depot.current(id);
      const expectRefused = async (problem: string) => {
        const chain = await chainOf(depot);
        const publish = depot.publish(id, sampleBuild(id, { mark: "4" }), { force: true });
        await expect(publish).rejects.toThrow(problem);
        await expect(rollBack(depot.operation(), { versionId: id, to: first })).rejects.toThrow();
        await expect(withdrawBuild(depot.operation(), current?.id ?? "")).rejects.toThrow(problem);
        expect(await depot.current(id)).toEqual(current);
        expect(await chainOf(depot)).toEqual(chain);
        await depot.expectServed(id);
      };
      await chmod(path, 0o644);
      await expectRefused("can be read by others: run chmod 600");
      await chmod(path, 0o600);
      await rename(path, `${path}.away`);
      await expectRefused("does not contain it");
      await writeFile(path, "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n", { mode: 0o600 });
      await expectRefused("is not an Ed25519 private key");
      await rm(path);
      await rename(`${path}.away`, path);
    });

    it("rotates to a key that the old one endorses, and signs all current builds with it", async () => {
      const [old] = await depot.store.signingKeys.list();
      depot.clock.advance("1 days");
      const { key, signedVersionIds } = await rotateSigningKey(depot.operation(), { overlapDays: 30 });
      expect(signedVersionIds).toEqual([id]);
      const keys = await depot.store.signingKeys.list();
      expect(keys.map(({ keyId }) => keyId)).toEqual([old?.keyId, key.keyId]);
      const expires = new Date(depot.clock.now().getTime() + 30 * 86_400_000);
      expect(keys.map((one) => one.expires)).toEqual([expires, null]);
      const { statement, signature } = key.endorsement ?? { statement: "", signature: "" };
      expect(verify(statement, signature, old?.publicKey ?? "")).toBe(true);
      expect(JSON.parse(statement) as Endorsement).toEqual({
        format: 1,
        endorsed_key: key.publicKey,
        endorsed_by: old?.keyId,
        created: depot.clock.now().toISOString(),
        old_key_expires: expires.toISOString(),
      });
      const chain = await chainOf(depot);
      expect(chain.at(-1)).toMatchObject({ keyId: key.keyId, buildId: chain.at(-2)?.buildId });
      await expectValidChain(depot);
      expect(await filesUnder(depot.settings.signingKeysDir)).toMatch(/BEGIN PRIVATE KEY[\s\S]*BEGIN PRIVATE KEY/);
    });

    it("uses an unused PKCS#8 key in the directory, whatever its name", async () => {
      const directory = depot.settings.signingKeysDir;
      await mkdir(directory, { recursive: true });
      const own = PrivateKey.generate();
      await writeFile(join(directory, "from-our-vault.pem"), own.reveal(), { mode: 0o600 });
      const { key } = await rotateSigningKey(depot.operation(), { overlapDays: 0 });
      expect(key.keyId).toBe(own.keyId);
      await depot.publish(id, sampleBuild(id, { mark: "5" }), { force: true });
      expect((await depot.store.manifests.latest(id))?.keyId).toBe(own.keyId);
    });

    it("replaces a lost key without an endorsement", async () => {
      await rm(depot.settings.signingKeysDir, { recursive: true });
      await expect(rotateSigningKey(depot.operation(), { overlapDays: 30 })).rejects.toThrow("cannot be read");
      const { key } = await createSigningKey(depot.operation(), { replace: true });
      expect(key.endorsement).toBeNull();
      await expectValidChain(depot);
      const keys = await depot.store.signingKeys.list();
      expect(keys.filter(({ expires }) => expires === null)).toEqual([key]);
    });

    it("is audited", async () => {
      const entries = await depot.store.audit.list({ limit: 1000 });
      const actions = entries.map(({ action }) => action).filter((action) => action.startsWith("signing_key"));
      expect(actions.sort()).toEqual([
        "signing_key.created",
        "signing_key.created",
        "signing_key.rotated",
        "signing_key.rotated",
      ]);
    });
  });
}
