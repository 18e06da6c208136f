import { describe, expect, it } from "vitest";
import { addOrganization, requireOrganization } from "../../src/organizations/organizations.ts";
import { newId } from "../../src/primitives/ids.ts";
import { engines } from "../engines.ts";
import { deskOn, NOW } from "./desk.ts";

for (const engine of engines) {
  describe(`an operator on ${engine.name} adds an organization`, () => {
    const { opened, operation, audited, refused } = deskOn(engine);

    it("which is there with its audit entry", async () => {
      const acme = await audited(
        () => addOrganization(operation(), "  Acme “Ünï” 🚀 "),
        (added) => ({
          action: "organization.added",
          subject: added.id,
          after: added,
        }),
      );
      expect(acme).toEqual({ id: acme.id, name: "Acme “Ünï” 🚀", created: NOW });
      expect(await opened.store.organizations.byId(acme.id)).toEqual(acme);
    });

    it("with a name of up to 200 characters", async () => {
      const { name } = await addOrganization(operation(), "a".repeat(200));
      expect(name).toHaveLength(200);
    });

    it.each(["", "   ", "a".repeat(201), "Acme\nInc", "Acme\rInc", "Acme\0Inc", "Acme\u001b[31m"])(
      "but not with the name %j",
      async (name) => {
        await refused(() => addOrganization(operation(), name), "invalid", "one line of 1 to 200 characters");
      },
    );

    it("but not with a name that looks like an id", async () => {
      const name = newId(NOW).toUpperCase();
      await refused(() => addOrganization(operation(), name), "invalid", "must not look like an id");
    });

    it("but not twice under the same name, white space around it not counted", async () => {
      await addOrganization(operation(), "Twice");
      await refused(() => addOrganization(operation(), " Twice "), "conflict", '"Twice" exists already');
      await addOrganization(operation(), "twice");
    });

    it("and finds it by its id, in either case, and by its exact name", async () => {
      const found = await addOrganization(operation(), "Found");
      for (const words of [found.id, found.id.toUpperCase(), "Found", " Found "]) {
        expect(await requireOrganization(opened.store, words)).toEqual(found);
      }
      for (const words of ["found", "Foun", newId(NOW), ""]) {
        await refused(() => requireOrganization(opened.store, words), "not_found", `"${words}"`);
      }
    });
  });
}
