import { describe, expect, it } from "vitest";
import { createKey, OVERLAP_MAX_SECONDS, requireKey, revokeKey, rotateKey, updateKey } from "../../src/keys/keys.ts";
import { PlainKey } from "../../src/keys/secret.ts";
import { newId } from "../../src/primitives/ids.ts";
import { engines } from "../engines.ts";
import { day } from "../licences/terms.ts";
import { deskOn, NOW } from "../organizations/desk.ts";
import { credentialOf, storedOrganization } from "../sql/samples.ts";

const plain = { organizationId: null, name: "ci", scopes: [], cidrs: [], expires: null };

for (const engine of engines) {
  describe(`an operator on ${engine.name}`, () => {
    const { opened, operation, audited, refused } = deskOn(engine);

    async function created(but: Partial<Parameters<typeof createKey>[1]> = {}) {
      const { id: organizationId } = await storedOrganization(opened.store);
      return createKey(operation(), { ...plain, organizationId, scopes: ["db.download"], ...but });
    }
    const bySecret = (secret: PlainKey) => opened.store.keys.bySecret(secret.hash());

    it("creates a key, which opens by its secret and is kept by its hash", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const request = {
        organizationId,
        name: "  ci ",
        scopes: ["apikeys.manage", "db.download", "db.download"],
        cidrs: ["2001:DB8::/32", " 10.0.0.0/8", "10.0.0.0/8"],
        expires: day(90),
      };
      const issued = await audited(
        () => createKey(operation(), request),
        ({ key }) => ({
          action: "key.created",
          subject: key.id,
          after: key,
        }),
      );
      expect(issued.key).toEqual({
        id: issued.key.id,
        organizationId,
        name: "ci",
        prefix: issued.plain.prefix,
        scopes: ["db.download", "apikeys.manage"],
        cidrs: ["2001:db8::/32", "10.0.0.0/8"],
        expires: day(90),
        created: NOW,
        lastUsed: null,
        revoked: null,
      });
      expect(await bySecret(issued.plain)).toEqual(credentialOf(issued.key, { hash: issued.plain.hash() }));
    });

    it("creates a key that can do nothing yet, and one of the operator's own", async () => {
      expect((await created({ scopes: [] })).key.scopes).toEqual([]);
      const scopes = ["operator.read", "operator.write", "builds.publish"];
      const { key } = await createKey(operation(), { ...plain, scopes });
      expect(key).toMatchObject({
        organizationId: null,
        scopes: ["builds.publish", "operator.read", "operator.write"],
      });
    });

    it("creates none that would be amiss", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const cases = [
        [{ name: " " }, "a key's name is one line of 1 to 100 characters"],
        [{ name: "a".repeat(101) }, "a key's name is one line of 1 to 100 characters"],
        [{ name: "two\nlines" }, "a key's name is one line of 1 to 100 characters"],
        [{ name: "nul\0" }, "a key's name is one line of 1 to 100 characters"],
        [{ scopes: ["db.upload"] }, '"db.upload" is no scope: choose from db.download'],
        [{ scopes: ["db.download", ""] }, '"" is no scope'],
        [{ scopes: ["operator.write"] }, "operator.write is the operator's"],
        [{ cidrs: ["10.0.0.1/8"] }, "did you mean 10.0.0.0/8?"],
        [{ cidrs: ["10.0.0.0/8", "everywhere"] }, '"everywhere" is no CIDR'],
        [{ expires: NOW }, "would end in the past"],
        [{ expires: day(1) }, "would end in the past"],
      ] as const;
      for (const [but, message] of cases) {
        await refused(() => createKey(operation(), { ...plain, organizationId, ...but }), "invalid", message);
      }
    });

    it("rotates a key: a new secret, and the old one ends at once", async () => {
      const { key, plain: old } = await created();
      const rotated = await audited(
        () => rotateKey(operation(day(51)), key.id.toUpperCase(), 0),
        (issued) => ({
          action: "key.rotated",
          subject: key.id,
          before: key,
          after: { ...key, prefix: issued.plain.prefix },
          now: day(51),
        }),
      );
      expect(rotated.key).toEqual({ ...key, prefix: rotated.plain.prefix });
      expect(rotated.plain.reveal()).not.toBe(old.reveal());
      expect((await bySecret(old))?.secretExpires).toEqual(day(51));
      expect(await bySecret(rotated.plain)).toEqual(credentialOf(rotated.key, { hash: rotated.plain.hash() }));
    });

    it("rotates a key with an overlap, which a later rotation cuts short but never prolongs", async () => {
      const { key, plain: first } = await created();
      const ends = async (...secrets: PlainKey[]) =>
        Promise.all(secrets.map(async (secret) => (await bySecret(secret))?.secretExpires?.getTime()));
      const { plain: second } = await rotateKey(operation(), first.prefix, 100);
      expect(await ends(first, second)).toEqual([NOW.getTime() + 100_000, undefined]);
      const { plain: third } = await rotateKey(operation(), first.prefix, OVERLAP_MAX_SECONDS);
      expect(await ends(first, second)).toEqual([NOW.getTime() + 100_000, NOW.getTime() + OVERLAP_MAX_SECONDS * 1000]);
      await rotateKey(operation(), key.id, 0);
      expect(await ends(first, second, third)).toEqual([NOW, NOW, NOW].map(Number));
    });

    it("rotates none with an overlap that is none", async () => {
      const { key } = await created();
      for (const overlap of [-1, 1.5, Number.NaN, OVERLAP_MAX_SECONDS + 1, Number.POSITIVE_INFINITY]) {
        await refused(() => rotateKey(operation(), key.id, overlap), "invalid", "from 0 to 604800 (7 days)");
      }
    });

    it("revokes a key, for good", async () => {
      const { key, plain: secret } = await created();
      const revoked = { ...key, revoked: NOW };
      await audited(
        () => revokeKey(operation(), key.prefix),
        () => ({
          action: "key.revoked",
          subject: key.id,
          before: key,
          after: revoked,
        }),
      );
      expect(await bySecret(secret)).toEqual(credentialOf(revoked, { hash: secret.hash() }));
      const words = `the key ${key.prefix} was revoked on ${NOW.toISOString()}`;
      await refused(() => revokeKey(operation(day(51)), key.id), "conflict", words);
      await refused(() => rotateKey(operation(day(51)), key.id, 0), "conflict", words);
      await refused(() => updateKey(operation(day(51)), key.id, { name: "back" }), "conflict", words);
    });

    it("changes of a key what is said, and nothing else", async () => {
      const { key } = await created({ cidrs: ["10.0.0.0/8"], expires: day(90) });
      const after = { ...key, name: "renamed" };
      await audited(
        () => updateKey(operation(), key.prefix, { name: " renamed " }),
        () => ({
          action: "key.updated",
          subject: key.id,
          before: key,
          after,
        }),
      );
      expect(await opened.store.keys.byId(key.id)).toEqual(after);
      expect(await updateKey(operation(), key.id, { scopes: [] })).toEqual({ ...after, scopes: [] });
      const rest = { scopes: ["apikeys.manage"], cidrs: [], expires: null } as const;
      expect(await updateKey(operation(), key.id, rest)).toEqual({ ...after, ...rest });
      expect(await opened.store.keys.byId(key.id)).toEqual({ ...after, ...rest });
    });

    it("changes nothing of a key when one change of several is amiss", async () => {
      const { key } = await created();
      const cases = [
        [{ name: "good", scopes: ["db.upload"] }, '"db.upload" is no scope'],
        [{ name: "good", scopes: ["operator.read"] }, "operator.read is the operator's"],
        [{ name: "good", cidrs: ["10.0.0.1"] }, "write 10.0.0.1/32"],
        [{ name: "good", expires: NOW }, "would end in the past"],
        [{ scopes: [], name: "" }, "a key's name is one line"],
      ] as const;
      for (const [changes, message] of cases) {
        await refused(() => updateKey(operation(), key.id, changes), "invalid", message);
      }
    });

    it("is told of a key that is none, without the words that may be a secret", async () => {
      const { plain: secret } = await created();
      for (const words of [newId(NOW), "dbd_nothing0", "", "x\0y", secret.reveal(), PlainKey.generate().reveal()]) {
        await refused(() => requireKey(opened.store, words), "not_found", "name it by its id or its prefix");
        const fault = await requireKey(opened.store, words).catch(({ message }) => message);
        if (words !== "") expect(fault).not.toContain(words);
        await refused(() => revokeKey(operation(), words), "not_found", "there is no such key");
        await refused(() => rotateKey(operation(), words, 0), "not_found", "there is no such key");
        await refused(() => updateKey(operation(), words, {}), "not_found", "there is no such key");
      }
    });
  });
}
