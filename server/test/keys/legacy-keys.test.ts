import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hashUuid, normalizeUuid } from "../../src/keys/legacy-key.ts";
import { createLegacyKey, revokeLegacyKey } from "../../src/keys/legacy-keys.ts";
import { newId } from "../../src/primitives/ids.ts";
import { engines } from "../engines.ts";
import { day } from "../licences/terms.ts";
import { deskOn, NOW } from "../organizations/desk.ts";
import { storedOrganization, storedVersion } from "../sql/samples.ts";

for (const engine of engines) {
  describe(`an operator on ${engine.name}`, () => {
    const { opened, operation, audited, refused } = deskOn(engine);

    async function request() {
      const [one, two] = [await storedVersion(opened.store), await storedVersion(opened.store)];
      return { name: "old", databaseIds: [two.id, one.id] };
    }
    const byUuid = (uuid: string) => opened.store.legacyKeys.byHash(hashUuid(normalizeUuid(uuid) ?? ""));

    it("creates a legacy key, which opens by its new UUID and is kept by its hash", async () => {
      const acme = await storedOrganization(opened.store);
      const asked = await request();
      const twice = [...asked.databaseIds, ...asked.databaseIds];
      const creating = () =>
        createLegacyKey(operation(), { name: " old ", databaseIds: twice, organization: acme.name });
      const { key, uuid } = await audited(creating, ({ key: { hash: _, ...shown } }) => ({
        action: "legacy_key.created",
        subject: shown.id,
        after: shown,
      }));
      const expected = { ...asked, organizationId: acme.id, created: NOW, lastUsed: null, revoked: null };
      expect(key).toEqual({ ...expected, id: key.id, hash: key.hash });
      expect(await byUuid(uuid)).toEqual(key);
      expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });

    it("brings an existing UUID over, in any of its forms, once", async () => {
      const asked = await request();
      const uuid = randomUUID();
      const { key } = await createLegacyKey(operation(), { ...asked, uuid: uuid.toUpperCase().replaceAll("-", "") });
      expect(await byUuid(uuid)).toEqual(key);
      expect(key.organizationId).toBeNull();
      for (const form of [uuid, uuid.toUpperCase(), uuid.replaceAll("-", "")]) {
        await refused(
          () => createLegacyKey(operation(), { ...asked, uuid: form }),
          "conflict",
          "is a legacy key already",
        );
      }
    });

    it("creates none that would be amiss", async () => {
      const asked = await request();
      const base = asked.databaseIds[0]?.replace(/_v1$/, "") ?? "";
      const cases = [
        [{ uuid: "no uuid" }, "invalid", "32 hexadecimal digits"],
        [{ uuid: "" }, "invalid", "32 hexadecimal digits"],
        [{ name: "" }, "invalid", "a key's name is one line"],
        [{ databaseIds: [] }, "invalid", "at least one database id"],
        [{ databaseIds: [...asked.databaseIds, "nothing_v1"] }, "not_found", 'no version "nothing_v1"'],
        [{ databaseIds: [base] }, "not_found", `named ${base}_v<n>`],
        [{ organization: "Nobody" }, "not_found", 'no organization "Nobody"'],
      ] as const;
      for (const [but, kind, message] of cases) {
        await refused(() => createLegacyKey(operation(), { ...asked, ...but }), kind, message);
      }
    });

    it("revokes one by its id, in either case, for good", async () => {
      const { key } = await createLegacyKey(operation(), await request());
      const { hash: _, ...shown } = key;
      await audited(
        () => revokeLegacyKey(operation(), key.id.toUpperCase()),
        () => ({
          action: "legacy_key.revoked",
          subject: key.id,
          before: shown,
          after: { ...shown, revoked: NOW },
        }),
      );
      expect(await opened.store.legacyKeys.byId(key.id)).toEqual({ ...key, revoked: NOW });
      await refused(
        () => revokeLegacyKey(operation(day(51)), key.id),
        "conflict",
        `was revoked on ${NOW.toISOString()}`,
      );
    });

    it("revokes none by its UUID, and repeats none of it", async () => {
      const { uuid } = await createLegacyKey(operation(), await request());
      for (const words of [uuid, uuid.replaceAll("-", ""), newId(NOW), "", "old"]) {
        await refused(() => revokeLegacyKey(operation(), words), "not_found", '"legacy-keys list" shows');
        const message = await revokeLegacyKey(operation(), words).catch((fault) => fault.message);
        expect(message).not.toContain(uuid);
      }
    });
  });
}
