import { describe, expect, it } from "vitest";
import { eitherEngine } from "../../../../../rigs/harness/service/engines.ts";
import { endLicence, grantLicence, type LicenceChange, renewLicence } from "../../../src/domain/licences/licences.ts";
import { standingOf } from "../../../src/domain/licences/standing.ts";
import { licenceToWire } from "../../../src/domain/licences/wire.ts";
import { createRequest } from "../../../src/domain/requests/requests.ts";
import { addTerms } from "../../../src/domain/terms/add.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { storedOrganization, storedVersion } from "../../adapters/sql/samples.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";
import { day } from "./terms.ts";

const fromNow = (ms: number) => new Date(NOW.getTime() + ms);

for (const engine of eitherEngine()) {
  describe(`licences on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    async function evaluate(term: { starts?: Date; expires?: Date | null }, evaluationDays?: number) {
      const organization = (await storedOrganization(opened.store)).id;
      const { base } = await storedVersion(opened.store);
      const request = { organization, base, redistribution: "evaluation", ...term };
      return grantLicence(
        { ...operation(), ...(evaluationDays !== undefined && { rules: { evaluationDays } }) },
        request,
      );
    }

    async function grant(term: LicenceChange & { starts?: Date } = {}) {
      const organization = (await storedOrganization(opened.store)).id;
      const { base } = await storedVersion(opened.store);
      return grantLicence(operation(), { organization, base, redistribution: "internal", ...term });
    }

    it("are granted from now on and without an end by default", async () => {
      const acme = await storedOrganization(opened.store);
      const { base } = await storedVersion(opened.store);
      const request = { organization: acme.name, base, redistribution: "redistribute" };
      const licence = await expectAudited(
        () => grantLicence(operation(), request),
        (licence) => ({
          action: "licence.granted",
          subject: licence.id,
          after: licence,
        }),
      );
      const expected = { organizationId: acme.id, base, redistribution: "redistribute", starts: NOW, expires: null };
      const unset = { renewsAt: null, noticeDueAt: null, externalId: null, termsId: null };
      expect(licence).toEqual({ ...expected, id: licence.id, created: NOW, ...unset });
      expect(await opened.store.licences.byId(licence.id)).toEqual(licence);
    });

    it("can be granted for a past, present or future term", async () => {
      for (const [starts, expires] of [
        [0, 10],
        [0, 100],
        [90, 100],
      ].map((days) => days.map(day))) {
        const licence = await grant({ ...(starts && { starts }), ...(expires && { expires }) });
        expect(await opened.store.licences.byId(licence.id)).toMatchObject({ starts, expires });
      }
    });

    it("are not granted for an invalid request", async () => {
      const organization = (await storedOrganization(opened.store)).id;
      const { base, id } = await storedVersion(opened.store);
      const good = { organization, base, redistribution: "internal" };
      const cases = [
        [{ redistribution: "resell" }, "invalid", "choose from evaluation, internal, redistribute"],
        [{ organization: "Unknown" }, "not_found", 'no organization "Unknown"'],
        [{ organization: newId(NOW) }, "not_found", "no organization"],
        [{ base: "nothing" }, "not_found", 'no family "nothing"'],
        [{ base: id }, "not_found", `a version of the family ${base}`],
        [{ starts: day(9), expires: day(9) }, "invalid", "before it starts"],
        [{ starts: day(9), expires: day(8) }, "invalid", "(2027-01-09T00:00:00.000Z) before it starts (2027-01-10"],
        [{ expires: NOW }, "invalid", "before it starts"],
      ] as const;
      for (const [but, kind, message] of cases) {
        await expectRefused(() => grantLicence(operation(), { ...good, ...but }), kind, message);
      }
    });

    it("are renewed by moving or removing their end", async () => {
      const licence = await grant({ expires: day(60) });
      const longer = { ...licence, expires: day(90) };
      const renewed = await expectAudited(
        () => renewLicence(operation(), licence.id.toUpperCase(), { expires: day(90) }),
        () => ({
          action: "licence.renewed",
          subject: licence.id,
          before: licence,
          after: longer,
        }),
      );
      expect(renewed).toEqual(longer);
      expect(await renewLicence(operation(), licence.id, { expires: fromNow(1) })).toEqual({
        ...licence,
        expires: fromNow(1),
      });
      expect(await renewLicence(operation(), licence.id, { expires: null })).toEqual({ ...licence, expires: null });
      expect(await opened.store.licences.byId(licence.id)).toEqual({ ...licence, expires: null });
    });

    it("are live again if renewed after their end", async () => {
      const licence = await grant({ starts: day(0), expires: day(10) });
      expect(standingOf([licence], NOW).standing).toBe("expired");
      expect(standingOf([await renewLicence(operation(), licence.id, { expires: day(90) })], NOW).standing).toBe(
        "licensed",
      );
    });

    it("cannot be renewed to a past time, to a time before their start, or if they do not exist", async () => {
      const live = await grant({ starts: day(0), expires: day(60) });
      const upcoming = await grant({ starts: day(70), expires: day(80) });
      const cases = [
        [live.id, NOW, "invalid", `use "licences end ${live.id}"`],
        [live.id, day(40), "invalid", `use "licences end ${live.id}"`],
        [upcoming.id, day(60), "invalid", "before it starts"],
        [upcoming.id, day(70), "invalid", "before it starts"],
        [newId(NOW), day(90), "not_found", "there is no licence"],
        ["nothing", day(90), "not_found", 'there is no licence "nothing"'],
      ] as const;
      for (const [id, expires, kind, message] of cases) {
        await expectRefused(() => renewLicence(operation(), id, { expires }), kind, message);
      }
    });

    it("record when the contract renews and when notice is due, without any other effect", async () => {
      const dates = { renewsAt: day(60), noticeDueAt: day(55) };
      const licence = await grant({ starts: day(0), ...dates });
      expect(licence).toMatchObject({ expires: null, ...dates });
      expect(await opened.store.licences.byId(licence.id)).toEqual(licence);
      for (const now of [day(54), day(59), day(61)]) expect(standingOf([licence], now).standing).toBe("licensed");
    });

    it("keep their end if only the dates of the contract change, and can lose these dates", async () => {
      const licence = await grant({ starts: day(0), expires: day(10) });
      const dated = { ...licence, renewsAt: day(60), noticeDueAt: day(60) };
      await expectAudited(
        () => renewLicence(operation(), licence.id, { renewsAt: day(60), noticeDueAt: day(60) }),
        () => ({ action: "licence.updated", subject: licence.id, before: licence, after: dated }),
      );
      expect(standingOf([dated], NOW).standing).toBe("expired");
      const renewed = { ...dated, expires: day(90), noticeDueAt: null };
      expect(await renewLicence(operation(), licence.id, { expires: day(90), noticeDueAt: null })).toEqual(renewed);
      const cleared = { ...renewed, renewsAt: null };
      expect(await renewLicence(operation(), licence.id, { renewsAt: null })).toEqual(cleared);
      expect(await opened.store.licences.byId(licence.id)).toEqual(cleared);
    });

    it("cannot have a notice after the renewal, or a renewal before their start", async () => {
      const organization = (await storedOrganization(opened.store)).id;
      const { base } = await storedVersion(opened.store);
      const good = { organization, base, redistribution: "internal", renewsAt: day(60) };
      const cases = [
        [{ noticeDueAt: new Date(day(60).getTime() + 1) }, "notice would be due (2027-03-02T00:00:00.001Z) after"],
        [{ starts: day(60) }, "before the licence starts"],
      ] as const;
      for (const [but, message] of cases) {
        await expectRefused(() => grantLicence(operation(), { ...good, ...but }), "invalid", message);
      }
      const { id } = await grant({ renewsAt: day(60) });
      const afterRenewal = { noticeDueAt: day(61) };
      await expectRefused(
        () => renewLicence(operation(), id, afterRenewal),
        "invalid",
        "after the contract has renewed",
      );
      await expectRefused(() => renewLicence(operation(), id, {}), "invalid", "give at least one");
    });

    it("for an evaluation end by default, 30 days after they start or are granted", async () => {
      const days = (count: number) => count * 86_400_000;
      expect(await evaluate({})).toMatchObject({ expires: fromNow(days(30)) });
      expect(await evaluate({ starts: day(0) })).toMatchObject({ expires: fromNow(days(30)) });
      const later = fromNow(days(7));
      expect(await evaluate({ starts: later })).toMatchObject({ expires: fromNow(days(37)) });
      expect(await evaluate({ expires: day(90) })).toMatchObject({ expires: day(90) });
      expect(await evaluate({ expires: null })).toMatchObject({ expires: null });
      expect(await evaluate({}, 14)).toMatchObject({ expires: fromNow(days(14)) });
      expect(await evaluate({}, 0)).toMatchObject({ expires: null });
    });

    it("can be ended now", async () => {
      const licence = await grant({ starts: day(0), expires: day(60) });
      const ended = { ...licence, expires: NOW };
      await expectAudited(
        () => endLicence(operation(), licence.id.toUpperCase()),
        () => ({
          action: "licence.ended",
          subject: licence.id,
          before: licence,
          after: ended,
        }),
      );
      expect(await opened.store.licences.byId(licence.id)).toEqual(ended);
      expect(standingOf([ended], NOW).standing).toBe("expired");
      expect(standingOf([ended], fromNow(-1)).standing).toBe("licensed");
    });

    it("announce a renewal and an end to the organization, but no change of the contract's dates", async () => {
      const { events } = opened.store;
      const before = await events.latest();
      const { id, organizationId } = await grant({ starts: day(0), expires: day(60) });
      await renewLicence(operation(), id, { renewsAt: day(50) });
      await renewLicence(operation(), id, { expires: day(90) });
      await endLicence(operation(), id);
      const announced = (await events.after(before, 100)).filter((event) => event.organizationId === organizationId);
      expect(announced.map(({ type, data }) => [type, data.expires, data.renews_at])).toEqual([
        ["licence.granted", day(60).toISOString(), null],
        ["licence.renewed", day(90).toISOString(), day(50).toISOString()],
        ["licence.ended", NOW.toISOString(), day(50).toISOString()],
      ]);
    });

    it("settle a pending request when they are renewed, but not when they change or end", async () => {
      const { id, organizationId, base } = await grant({ starts: day(0), expires: day(60) });
      const person = { email: "ada@acme.example", name: "Ada" };
      const { request: asked } = await createRequest(operation(), { organizationId, base, person, message: "" });
      const state = async () => (await opened.store.requests.byId(asked.id))?.state;
      await renewLicence(operation(), id, { renewsAt: day(90) });
      expect(await state()).toBe("pending");
      await renewLicence(operation(), id, { expires: day(90) });
      expect(await state()).toBe("granted");
      const { request: again } = await createRequest(operation(), { organizationId, base, person, message: "" });
      await endLicence(operation(), id);
      expect((await opened.store.requests.byId(again.id))?.state).toBe("pending");
    });

    it("keep, change or lose the terms that they require", async () => {
      const text = { title: "Title", text: "Text" };
      const { terms } = await addTerms(operation(), { ...text, name: "renewed" });
      const { id } = await grant({ expires: day(60), terms: "renewed" });
      const termsOf = async () => (await opened.store.licences.byId(id))?.termsId;
      expect(await termsOf()).toBe(terms.id);
      await addTerms(operation(), { ...text, name: "renewed", text: "New text" });
      await renewLicence(operation(), id, { expires: day(70) });
      expect(await termsOf()).toBe("renewed@1");
      await renewLicence(operation(), id, { terms: "renewed" });
      expect(await termsOf()).toBe("renewed@2");
      await renewLicence(operation(), id, { terms: null });
      expect(await termsOf()).toBeNull();
      await expectRefused(() => renewLicence(operation(), id, { terms: "unknown" }), "not_found", "there are no terms");
    });

    it("have a state and all their dates in responses", async () => {
      const [renewsAt, noticeDueAt] = [day(80), day(75)];
      const licence = await grant({ starts: day(60), expires: day(90), renewsAt, noticeDueAt });
      const { id, organizationId, base } = licence;
      expect(licenceToWire(licence, NOW)).toEqual({
        id,
        organization_id: organizationId,
        base,
        redistribution: "internal",
        starts: day(60).toISOString(),
        expires: day(90).toISOString(),
        state: "upcoming",
        created: NOW.toISOString(),
        renews_at: renewsAt.toISOString(),
        notice_due_at: noticeDueAt.toISOString(),
        external_id: null,
        terms: null,
      });
      const stateAt = (time: Date) => licenceToWire(licence, time).state;
      expect([day(60), day(89), day(90)].map(stateAt)).toEqual(["live", "live", "ended"]);
      const cancelled = { ...licence, expires: day(60) };
      expect([NOW, day(60)].map((time) => licenceToWire(cancelled, time).state)).toEqual(["ended", "ended"]);
    });

    it("can be ended without having an end, and before they begin", async () => {
      expect(await endLicence(operation(), (await grant({ starts: day(0) })).id)).toMatchObject({ expires: NOW });
      const upcoming = await grant({ starts: day(70), expires: null });
      const cancelled = await endLicence(operation(), upcoming.id);
      expect(cancelled).toEqual({ ...upcoming, expires: day(70) });
      for (const now of [NOW, day(70), day(71)]) {
        expect(standingOf([cancelled], now)).toEqual({ standing: "unlicensed", licence: undefined });
      }
    });

    it("cannot be ended twice, or renewed if they were ended before they began", async () => {
      const over = await grant({ starts: day(0), expires: NOW });
      const live = await grant({ starts: day(0) });
      const upcoming = await grant({ starts: day(70) });
      for (const { id } of [live, upcoming]) await endLicence(operation(), id);
      for (const { id } of [over, live, upcoming]) {
        await expectRefused(() => endLicence(operation(), id), "conflict", `${id} has already ended`);
        await expectRefused(() => endLicence(operation(day(71)), id), "conflict", `${id} has already ended`);
      }
      await expectRefused(
        () => renewLicence(operation(), upcoming.id, { expires: day(99) }),
        "conflict",
        "grant a new one",
      );
      await expectRefused(() => endLicence(operation(), newId(NOW)), "not_found", "there is no licence");
    });
  });
}
