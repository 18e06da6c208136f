import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { endLicence, grantLicence, grantRequest, renewLicence } from "../../../src/domain/licences/licences.ts";
import { createRequest, declineRequest } from "../../../src/domain/requests/requests.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { day } from "../licences/terms.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";

const person = { email: "ada@customer.example", name: "Ada" };

for (const engine of eitherEngine()) {
  describe(`access requests on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    async function wanted() {
      const organizationId = (await storedOrganization(opened.store)).id;
      const { base } = await storedVersion(opened.store);
      return { organizationId, base, person, message: " For our gateway " };
    }

    async function requested() {
      return (await createRequest(operation(), await wanted())).request;
    }

    const lastEvent = async () => {
      const events = await opened.store.events.after(undefined, 10_000);
      const { type, organizationId, data } = events.at(-1) ?? {};
      return { type, organizationId, data };
    };

    it("are pending until they are decided", async () => {
      const request = await wanted();
      const { request: created } = await expectAudited(
        () => createRequest(operation(), request),
        ({ request }) => ({ action: "access_request.created", subject: request.id, after: request }),
      );
      expect(created).toMatchObject({ ...request, message: "For our gateway", state: "pending", reply: null });
      const { id, organizationId, base } = created;
      expect(await lastEvent()).toEqual({
        type: "access_request.created",
        organizationId,
        data: { id, base, state: "pending", reply: null, licence_id: null },
      });
    });

    it("change nothing while another one for the same family is pending", async () => {
      const request = await wanted();
      const first = await createRequest(operation(), request);
      const entries = (await opened.store.audit.list({ limit: 10_000 })).length;
      const second = await createRequest(operation(day(51)), { ...request, message: "Hurry up" });
      expect([first.isNew, second.isNew]).toEqual([true, false]);
      expect(second.request).toEqual(first.request);
      expect((await opened.store.audit.list({ limit: 10_000 })).length).toBe(entries);
      await declineRequest(operation(), first.request.id, "Not now");
      expect((await createRequest(operation(day(51)), request)).isNew).toBe(true);
    });

    it("are granted together with the licence", async () => {
      const { id, organizationId, base } = await requested();
      const terms = { redistribution: "internal", expires: day(90), reply: " Welcome " };
      const granted = await grantRequest(operation(), id.toUpperCase(), terms);
      expect(granted).toMatchObject({ state: "granted", reply: "Welcome", decided: NOW });
      const [licence] = await opened.store.licences.list({ organizationId, base });
      expect(licence).toMatchObject({ id: granted.licenceId, redistribution: "internal", expires: day(90) });
      const entries = await opened.store.audit.list({ limit: 2 });
      expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
        ["access_request.granted", id],
        ["licence.granted", licence?.id],
      ]);
      expect(await lastEvent()).toMatchObject({
        type: "access_request.granted",
        organizationId,
        data: { state: "granted", reply: "Welcome", licence_id: licence?.id },
      });
    });

    it("are declined with a reason", async () => {
      const before = await requested();
      const after = { ...before, state: "declined", reply: "Not in your country", decided: NOW };
      const declined = await expectAudited(
        () => declineRequest(operation(), before.id, "Not in your country\n"),
        () => ({ action: "access_request.declined", subject: before.id, before, after }),
      );
      expect(declined).toEqual(after);
      expect(await lastEvent()).toMatchObject({
        type: "access_request.declined",
        data: { reply: "Not in your country" },
      });
    });

    it("are decided once, with an answer of limited length", async () => {
      const { id } = await requested();
      const internal = { redistribution: "internal" };
      await expectRefused(() => declineRequest(operation(), id, "  "), "invalid", "give a reason");
      await expectRefused(() => declineRequest(operation(), id, "x".repeat(2001)), "invalid", "2000 characters");
      await expectRefused(() => declineRequest(operation(), id, "a\u0007b"), "invalid", "plain text");
      await expectRefused(() => grantRequest(operation(), id, { redistribution: "resell" }), "invalid", "choose from");
      await expectRefused(() => grantRequest(operation(), newId(NOW), internal), "not_found", "no access request");
      await declineRequest(operation(), id, "No");
      await expectRefused(() => grantRequest(operation(), id, internal), "conflict", "already declined on 2027-");
      await expectRefused(() => declineRequest(operation(), id, "No"), "conflict", "already declined");
    });

    it("are settled by a licence that is granted or renewed in another way", async () => {
      const asked = await requested();
      const { organizationId: organization, base } = asked;
      const other = await requested();
      const licence = await grantLicence(operation(), { organization, base, redistribution: "internal" });
      const settled = { ...asked, state: "granted", reply: "", decided: NOW, licenceId: licence.id };
      expect(await opened.store.requests.byId(asked.id)).toEqual(settled);
      expect(await opened.store.requests.byId(other.id)).toEqual(other);

      await endLicence(operation(day(60)), licence.id);
      const { request: renewal } = await createRequest(operation(day(61)), { ...asked, message: "Again, please" });
      await renewLicence(operation(day(62)), licence.id, { renewsAt: day(400) });
      expect((await opened.store.requests.byId(renewal.id))?.state).toBe("pending");
      await renewLicence(operation(day(62)), licence.id, { expires: day(300) });
      expect(await opened.store.requests.byId(renewal.id)).toMatchObject({ state: "granted", licenceId: licence.id });
    });
  });
}
