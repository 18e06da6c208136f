import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { hashUuid, normalizeUuid } from "../../../src/domain/legacy-keys/legacy-key.ts";
import { createLegacyKey, revokeLegacyKey } from "../../../src/domain/legacy-keys/legacy-keys.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

for (const engine of eitherEngine()) {
  describe(`legacy keys on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    async function request() {
      const [one, two] = [await storedVersion(opened.store), await storedVersion(opened.store)];
      return { name: "old", databaseIds: [two.id, one.id] };
    }
    const byUuid = (uuid: string) => opened.store.legacyKeys.byHash(hashUuid(normalizeUuid(uuid) ?? ""));

    it("are created with a new UUID and stored by its hash", async () => {
      const acme = await storedOrganization(opened.store);
      const requested = await request();
      const twice = [...requested.databaseIds, ...requested.databaseIds];
      const create = () => createLegacyKey(operation(), { name: " old ", databaseIds: twice, organization: acme.name });
      const { key, uuid } = await expectAudited(create, ({ key: { hash: _, ...shown } }) => ({
        action: "legacy_key.created",
        subject: shown.id,
        after: shown,
      }));
      const expected = { ...requested, organizationId: acme.id, created: NOW, lastUsed: null, revoked: null };
      expect(key).toEqual({ ...expected, id: key.id, hash: key.hash });
      expect(await byUuid(uuid)).toEqual(key);
      expect(uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });

    it("can be imported once, in any notation of their UUID", async () => {
      const requested = await request();
      const uuid = randomUUID();
      const { key } = await createLegacyKey(operation(), {
        ...requested,
        uuid: uuid.toUpperCase().replaceAll("-", ""),
      });
      expect(await byUuid(uuid)).toEqual(key);
      expect(key.organizationId).toBeNull();
      for (const form of [uuid, uuid.toUpperCase(), uuid.replaceAll("-", "")]) {
        await expectRefused(
          () => createLegacyKey(operation(), { ...requested, uuid: form }),
          "conflict",
          "a legacy key with this UUID already exists",
        );
      }
    });

    it("are not created for an invalid request", async () => {
      const requested = await request();
      const base = requested.databaseIds[0]?.replace(/_v1$/, "") ?? "";
      const cases = [
        [{ uuid: "no uuid" }, "invalid", "32 hexadecimal digits"],
        [{ uuid: "" }, "invalid", "32 hexadecimal digits"],
        [{ name: "" }, "invalid", "a key's name must be one line"],
        [{ databaseIds: [] }, "invalid", "at least one database id"],
        [{ databaseIds: [...requested.databaseIds, "nothing_v1"] }, "not_found", 'no version "nothing_v1"'],
        [{ databaseIds: [base] }, "not_found", `named ${base}_v<n>`],
        [{ organization: "Unknown" }, "not_found", 'no organization "Unknown"'],
      ] as const;
      for (const [but, kind, message] of cases) {
        await expectRefused(() => createLegacyKey(operation(), { ...requested, ...but }), kind, message);
      }
    });

    it("are revoked permanently, by id in either case", async () => {
      const { key } = await createLegacyKey(operation(), await request());
      const { hash: _, ...shown } = key;
      await expectAudited(
        () => revokeLegacyKey(operation(), key.id.toUpperCase()),
        () => ({
          action: "legacy_key.revoked",
          subject: key.id,
          before: shown,
          after: { ...shown, revoked: NOW },
        }),
      );
      expect(await opened.store.legacyKeys.byId(key.id)).toEqual({ ...key, revoked: NOW });
      await expectRefused(
        () => revokeLegacyKey(operation(day(51)), key.id),
        "conflict",
        `was revoked on ${NOW.toISOString()}`,
      );
    });

    it("cannot be revoked by UUID, which the message does not repeat", async () => {
      const { uuid } = await createLegacyKey(operation(), await request());
      for (const text of [uuid, uuid.replaceAll("-", ""), newId(NOW), "", "old"]) {
        await expectRefused(() => revokeLegacyKey(operation(), text), "not_found", '"legacy-keys list" shows');
        const message = await revokeLegacyKey(operation(), text).catch((fault) => fault.message);
        expect(message).not.toContain(uuid);
      }
    });
  });
}
