import { describe, expect, it } from "vitest";
import { endLicence, grantLicence, renewLicence } from "../../src/licences/licences.ts";
import { standingOf } from "../../src/licences/standing.ts";
import { newId } from "../../src/primitives/ids.ts";
import { engines } from "../engines.ts";
import { deskOn, NOW } from "../organizations/desk.ts";
import { storedOrganization, storedVersion } from "../sql/samples.ts";
import { day } from "./terms.ts";

const moment = (ms: number) => new Date(NOW.getTime() + ms);

for (const engine of engines) {
  describe(`an operator on ${engine.name}`, () => {
    const { opened, operation, audited, refused } = deskOn(engine);

    async function granted(term: { starts?: Date; expires?: Date | null } = {}) {
      const organization = (await storedOrganization(opened.store)).id;
      const { base } = await storedVersion(opened.store);
      return grantLicence(operation(), { organization, base, redistribution: "internal", ...term });
    }

    it("grants a licence, from now on and without end unless said", async () => {
      const acme = await storedOrganization(opened.store);
      const { base } = await storedVersion(opened.store);
      const request = { organization: acme.name, base, redistribution: "redistribute" };
      const licence = await audited(
        () => grantLicence(operation(), request),
        (made) => ({
          action: "licence.granted",
          subject: made.id,
          after: made,
        }),
      );
      const expected = { organizationId: acme.id, base, redistribution: "redistribute", starts: NOW, expires: null };
      expect(licence).toEqual({ ...expected, id: licence.id, created: NOW });
      expect(await opened.store.licences.byId(licence.id)).toEqual(licence);
    });

    it("grants one for a term, past, present or future", async () => {
      for (const [starts, expires] of [
        [0, 10],
        [0, 100],
        [90, 100],
      ].map((days) => days.map(day))) {
        const licence = await granted({ ...(starts && { starts }), ...(expires && { expires }) });
        expect(await opened.store.licences.byId(licence.id)).toMatchObject({ starts, expires });
      }
    });

    it("grants none that would be amiss", async () => {
      const organization = (await storedOrganization(opened.store)).id;
      const { base, id } = await storedVersion(opened.store);
      const good = { organization, base, redistribution: "internal" };
      const cases = [
        [{ redistribution: "resell" }, "invalid", "choose from evaluation, internal, redistribute"],
        [{ organization: "Nobody" }, "not_found", 'no organization "Nobody"'],
        [{ organization: newId(NOW) }, "not_found", "no organization"],
        [{ base: "nothing" }, "not_found", 'no family "nothing"'],
        [{ base: id }, "not_found", `a version of the family ${base}`],
        [{ starts: day(9), expires: day(9) }, "invalid", "before it starts"],
        [{ starts: day(9), expires: day(8) }, "invalid", "(2027-01-09T00:00:00.000Z) before it starts (2027-01-10"],
        [{ expires: NOW }, "invalid", "before it starts"],
      ] as const;
      for (const [but, kind, message] of cases) {
        await refused(() => grantLicence(operation(), { ...good, ...but }), kind, message);
      }
    });

    it("renews a licence: its end moves, or goes", async () => {
      const licence = await granted({ expires: day(60) });
      const longer = { ...licence, expires: day(90) };
      const renewed = await audited(
        () => renewLicence(operation(), licence.id.toUpperCase(), day(90)),
        () => ({
          action: "licence.renewed",
          subject: licence.id,
          before: licence,
          after: longer,
        }),
      );
      expect(renewed).toEqual(longer);
      expect(await renewLicence(operation(), licence.id, moment(1))).toEqual({ ...licence, expires: moment(1) });
      expect(await renewLicence(operation(), licence.id, null)).toEqual({ ...licence, expires: null });
      expect(await opened.store.licences.byId(licence.id)).toEqual({ ...licence, expires: null });
    });

    it("renews one whose term is over: it lives again", async () => {
      const licence = await granted({ starts: day(0), expires: day(10) });
      expect(standingOf([licence], NOW).standing).toBe("expired");
      expect(standingOf([await renewLicence(operation(), licence.id, day(90))], NOW).standing).toBe("licensed");
    });

    it("renews none into the past, to before its start, or that never was", async () => {
      const live = await granted({ starts: day(0), expires: day(60) });
      const upcoming = await granted({ starts: day(70), expires: day(80) });
      const cases = [
        [live.id, NOW, "invalid", `use "licences end ${live.id}"`],
        [live.id, day(40), "invalid", `use "licences end ${live.id}"`],
        [upcoming.id, day(60), "invalid", "before it starts"],
        [upcoming.id, day(70), "invalid", "before it starts"],
        [newId(NOW), day(90), "not_found", "there is no licence"],
        ["nothing", day(90), "not_found", 'there is no licence "nothing"'],
      ] as const;
      for (const [id, expires, kind, message] of cases) {
        await refused(() => renewLicence(operation(), id, expires), kind, message);
      }
    });

    it("ends a licence now", async () => {
      const licence = await granted({ starts: day(0), expires: day(60) });
      const ended = { ...licence, expires: NOW };
      await audited(
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
      expect(standingOf([ended], moment(-1)).standing).toBe("licensed");
    });

    it("ends one without end, and one that has not begun: it never will", async () => {
      expect(await endLicence(operation(), (await granted({ starts: day(0) })).id)).toMatchObject({ expires: NOW });
      const upcoming = await granted({ starts: day(70), expires: null });
      const never = await endLicence(operation(), upcoming.id);
      expect(never).toEqual({ ...upcoming, expires: day(70) });
      for (const now of [NOW, day(70), day(71)]) {
        expect(standingOf([never], now)).toEqual({ standing: "unlicensed", licence: undefined });
      }
    });

    it("ends none twice, and renews none that was ended before it began", async () => {
      const over = await granted({ starts: day(0), expires: NOW });
      const live = await granted({ starts: day(0) });
      const upcoming = await granted({ starts: day(70) });
      for (const { id } of [live, upcoming]) await endLicence(operation(), id);
      for (const { id } of [over, live, upcoming]) {
        await refused(() => endLicence(operation(), id), "conflict", `${id} has ended already`);
        await refused(() => endLicence(operation(day(71)), id), "conflict", `${id} has ended already`);
      }
      await refused(() => renewLicence(operation(), upcoming.id, day(99)), "conflict", "grant a new one");
      await refused(() => endLicence(operation(), newId(NOW)), "not_found", "there is no licence");
    });
  });
}
