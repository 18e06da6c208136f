import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { PlainKey } from "../../../src/domain/access/secret.ts";
import {
  createKey,
  OVERLAP_MAX_SECONDS,
  requireKey,
  revokeKey,
  rotateKey,
  updateKey,
} from "../../../src/domain/keys/keys.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { credentialOf, storedOrganization } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

const plain = { organizationId: null, name: "ci", scopes: [], cidrs: [], expires: null };

for (const engine of eitherEngine()) {
  describe(`keys on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    async function create(but: Partial<Parameters<typeof createKey>[1]> = {}) {
      const { id: organizationId } = await storedOrganization(opened.store);
      return createKey(operation(), { ...plain, organizationId, scopes: ["db.download"], ...but });
    }
    const bySecret = (secret: PlainKey) => opened.store.keys.bySecret(secret.hash());

    it("are created with a secret and stored by its hash", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const request = {
        organizationId,
        name: "  ci ",
        scopes: ["apikeys.manage", "db.download", "db.download"],
        cidrs: ["2001:DB8::/32", " 10.0.0.0/8", "10.0.0.0/8"],
        expires: day(90),
      };
      const issued = await expectAudited(
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

    it("can be created without scopes, or without an organization for operators", async () => {
      expect((await create({ scopes: [] })).key.scopes).toEqual([]);
      const scopes = ["operator.read", "operator.write", "builds.publish"];
      const { key } = await createKey(operation(), { ...plain, scopes });
      expect(key).toMatchObject({
        organizationId: null,
        scopes: ["builds.publish", "operator.read", "operator.write"],
      });
    });

    it("are not created for an invalid request", async () => {
      const { id: organizationId } = await storedOrganization(opened.store);
      const cases = [
        [{ name: " " }, "a key's name must be one line of 1 to 100 characters"],
        [{ name: "a".repeat(101) }, "a key's name must be one line of 1 to 100 characters"],
        [{ name: "two\nlines" }, "a key's name must be one line of 1 to 100 characters"],
        [{ name: "nul\0" }, "a key's name must be one line of 1 to 100 characters"],
        [{ scopes: ["db.upload"] }, '"db.upload" is not a scope: choose from db.download'],
        [{ scopes: ["db.download", ""] }, '"" is not a scope'],
        [{ scopes: ["operator.write"] }, "operator.write is an operator scope"],
        [{ cidrs: ["10.0.0.1/8"] }, "did you mean 10.0.0.0/8?"],
        [{ cidrs: ["10.0.0.0/8", "everywhere"] }, '"everywhere" is not a CIDR'],
        [{ expires: NOW }, "would expire in the past"],
        [{ expires: day(1) }, "would expire in the past"],
      ] as const;
      for (const [but, message] of cases) {
        await expectRefused(() => createKey(operation(), { ...plain, organizationId, ...but }), "invalid", message);
      }
    });

    it("get a new secret when rotated, and the old one ends immediately", async () => {
      const { key, plain: old } = await create();
      const rotated = await expectAudited(
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

    it("can be rotated with an overlap, which a later rotation can shorten but not extend", async () => {
      const { key, plain: first } = await create();
      const ends = async (...secrets: PlainKey[]) =>
        Promise.all(secrets.map(async (secret) => (await bySecret(secret))?.secretExpires?.getTime()));
      const { plain: second } = await rotateKey(operation(), first.prefix, 100);
      expect(await ends(first, second)).toEqual([NOW.getTime() + 100_000, undefined]);
      const { plain: third } = await rotateKey(operation(), first.prefix, OVERLAP_MAX_SECONDS);
      expect(await ends(first, second)).toEqual([NOW.getTime() + 100_000, NOW.getTime() + OVERLAP_MAX_SECONDS * 1000]);
      await rotateKey(operation(), key.id, 0);
      expect(await ends(first, second, third)).toEqual([NOW, NOW, NOW].map(Number));
    });

    it("cannot be rotated with an invalid overlap", async () => {
      const { key } = await create();
      for (const overlap of [-1, 1.5, Number.NaN, OVERLAP_MAX_SECONDS + 1, Number.POSITIVE_INFINITY]) {
        await expectRefused(() => rotateKey(operation(), key.id, overlap), "invalid", "from 0 to 604800 (7 days)");
      }
    });

    it("are revoked permanently", async () => {
      const { key, plain: secret } = await create();
      const revoked = { ...key, revoked: NOW };
      await expectAudited(
        () => revokeKey(operation(), key.prefix),
        () => ({
          action: "key.revoked",
          subject: key.id,
          before: key,
          after: revoked,
        }),
      );
      expect(await bySecret(secret)).toEqual(credentialOf(revoked, { hash: secret.hash() }));
      const message = `the key ${key.prefix} was revoked on ${NOW.toISOString()}`;
      await expectRefused(() => revokeKey(operation(day(51)), key.id), "conflict", message);
      await expectRefused(() => rotateKey(operation(day(51)), key.id, 0), "conflict", message);
      await expectRefused(() => updateKey(operation(day(51)), key.id, { name: "back" }), "conflict", message);
    });

    it("are updated only in the given properties", async () => {
      const { key } = await create({ cidrs: ["10.0.0.0/8"], expires: day(90) });
      const after = { ...key, name: "renamed" };
      await expectAudited(
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

    it("are not updated at all if one of several changes is invalid", async () => {
      const { key } = await create();
      const cases = [
        [{ name: "good", scopes: ["db.upload"] }, '"db.upload" is not a scope'],
        [{ name: "good", scopes: ["operator.read"] }, "operator.read is an operator scope"],
        [{ name: "good", cidrs: ["10.0.0.1"] }, "write 10.0.0.1/32"],
        [{ name: "good", expires: NOW }, "would expire in the past"],
        [{ scopes: [], name: "" }, "a key's name must be one line"],
      ] as const;
      for (const [changes, message] of cases) {
        await expectRefused(() => updateKey(operation(), key.id, changes), "invalid", message);
      }
    });

    it("that do not exist are reported without repeating the text, which may be a secret", async () => {
      const { plain: secret } = await create();
      for (const text of [newId(NOW), "dbd_nothing0", "", "x\0y", secret.reveal(), PlainKey.generate().reveal()]) {
        await expectRefused(() => requireKey(opened.store, text), "not_found", "use its id or its prefix");
        const fault = await requireKey(opened.store, text).catch(({ message }) => message);
        if (text !== "") expect(fault).not.toContain(text);
        await expectRefused(() => revokeKey(operation(), text), "not_found", "there is no such key");
        await expectRefused(() => rotateKey(operation(), text, 0), "not_found", "there is no such key");
        await expectRefused(() => updateKey(operation(), text, {}), "not_found", "there is no such key");
      }
    });
  });
}
