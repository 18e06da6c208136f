import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { requireOrganization } from "../../../src/domain/access/find-organization.ts";
import { NO_LIMITS } from "../../../src/domain/limits/limits.ts";
import { addOrganization } from "../../../src/domain/organizations/organizations.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { NOW, operatorOn } from "./operator.ts";

for (const engine of eitherEngine()) {
  describe(`organizations on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    it("are added with an audit entry", async () => {
      const acme = await expectAudited(
        () => addOrganization(operation(), "  Acme “Ünï” 🚀 "),
        (added) => ({
          action: "organization.added",
          subject: added.id,
          after: added,
        }),
      );
      expect(acme).toEqual({
        id: acme.id,
        name: "Acme “Ünï” 🚀",
        created: NOW,
        archived: null,
        externalId: null,
        limits: NO_LIMITS,
        linkRegion: null,
      });
      expect(await opened.store.organizations.byId(acme.id)).toEqual(acme);
    });

    it("can have a name of up to 200 characters", async () => {
      const { name } = await addOrganization(operation(), "a".repeat(200));
      expect(name).toHaveLength(200);
    });

    it.each(["", "   ", "a".repeat(201), "Acme\nInc", "Acme\rInc", "Acme\0Inc", "Acme\u001b[31m"])(
      "cannot have the name %j",
      async (name) => {
        await expectRefused(() => addOrganization(operation(), name), "invalid", "one line of 1 to 200 characters");
      },
    );

    it("cannot have a name that looks like an id", async () => {
      const name = newId(NOW).toUpperCase();
      await expectRefused(() => addOrganization(operation(), name), "invalid", "must not look like an id");
    });

    it("cannot have the same name, ignoring surrounding whitespace", async () => {
      await addOrganization(operation(), "Twice");
      await expectRefused(() => addOrganization(operation(), " Twice "), "conflict", '"Twice" already exists');
      await addOrganization(operation(), "twice");
    });

    it("are found by id, in either case, and by exact name", async () => {
      const found = await addOrganization(operation(), "Found");
      for (const text of [found.id, found.id.toUpperCase(), "Found", " Found "]) {
        expect(await requireOrganization(opened.store, text)).toEqual(found);
      }
      for (const text of ["found", "Foun", newId(NOW), ""]) {
        await expectRefused(() => requireOrganization(opened.store, text), "not_found", `"${text}"`);
      }
    });
  });
}
