import { describe, expect, it } from "vitest";
import { endLicence, grantLicence, renewLicence } from "../../src/licences/licences.ts";
import { standingOf } from "../../src/licences/standing.ts";
import { newId } from "../../src/primitives/ids.ts";
import { engines } from "../engines.ts";
import { NOW, operatorOn } from "../organizations/operator.ts";
import { storedOrganization, storedVersion } from "../sql/samples.ts";
import { day } from "./terms.ts";

const fromNow = (ms: number) => new Date(NOW.getTime() + ms);

for (const engine of engines) {
  describe(`licences on ${engine.name}`, () => {
    const { opened, operation, expectAudited, expectRefused } = operatorOn(engine);

    async function grant(term: { starts?: Date; expires?: Date | null } = {}) {
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
      expect(licence).toEqual({ ...expected, id: licence.id, created: NOW });
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
        () => renewLicence(operation(), licence.id.toUpperCase(), day(90)),
        () => ({
          action: "licence.renewed",
          subject: licence.id,
          before: licence,
          after: longer,
        }),
      );
      expect(renewed).toEqual(longer);
      expect(await renewLicence(operation(), licence.id, fromNow(1))).toEqual({ ...licence, expires: fromNow(1) });
      expect(await renewLicence(operation(), licence.id, null)).toEqual({ ...licence, expires: null });
      expect(await opened.store.licences.byId(licence.id)).toEqual({ ...licence, expires: null });
    });

    it("are live again if renewed after their end", async () => {
      const licence = await grant({ starts: day(0), expires: day(10) });
      expect(standingOf([licence], NOW).standing).toBe("expired");
      expect(standingOf([await renewLicence(operation(), licence.id, day(90))], NOW).standing).toBe("licensed");
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
        await expectRefused(() => renewLicence(operation(), id, expires), kind, message);
      }
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
      await expectRefused(() => renewLicence(operation(), upcoming.id, day(99)), "conflict", "grant a new one");
      await expectRefused(() => endLicence(operation(), newId(NOW)), "not_found", "there is no licence");
    });
  });
}
