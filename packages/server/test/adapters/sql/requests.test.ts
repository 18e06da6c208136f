import { describe, expect, it } from "vitest";
import { engines, sharedStore } from "../../../../../rigs/harness/service/engines.ts";
import type { AccessRequest } from "../../../src/domain/requests/request.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { day, licence } from "../../domain/licences/terms.ts";
import { storedOrganization, storedVersion } from "./samples.ts";

for (const engine of engines) {
  describe(`RequestStore on ${engine.name}`, () => {
    const opened = sharedStore(engine);

    /** An organization with requests for two families, the oldest first. */
    async function stored(...states: AccessRequest["state"][]) {
      const { store } = opened;
      const organizationId = (await storedOrganization(store)).id;
      const bases = [(await storedVersion(store)).base, (await storedVersion(store)).base].sort();
      const requests = states.map(
        (state, index): AccessRequest => ({
          id: newId(day(index)),
          organizationId,
          base: bases[index % 2] ?? "",
          person: { email: "ada@customer.example", name: "Ada" },
          message: "Two\nlines",
          state,
          reply: state === "pending" ? null : "An answer",
          decided: state === "pending" ? null : day(index + 1),
          licenceId: null,
          created: day(index),
        }),
      );
      await store.change(async (tables) => {
        for (const request of requests) await tables.requests.insert(request);
      });
      return { organizationId, bases, requests };
    }

    it("returns requests as they were sent", async () => {
      const { requests } = await stored("pending", "declined");
      for (const request of requests) expect(await opened.store.requests.byId(request.id)).toEqual(request);
      expect(await opened.store.requests.byId("nothing")).toBeUndefined();
    });

    it("lists pending requests first, then the newest, in pages", async () => {
      const { list } = opened.store.requests;
      const { organizationId, bases, requests } = await stored("pending", "granted", "declined", "pending", "granted");
      const [first, second, third, fourth, fifth] = requests;
      const ordered = [fourth, first, fifth, third, second];
      expect(await list({ organizationId })).toEqual(ordered);
      expect(await list({ organizationId, state: "pending" })).toEqual([fourth, first]);
      expect(await list({ organizationId, base: bases[1] ?? "" })).toEqual([fourth, second]);
      for (const [index, request] of ordered.entries()) {
        const after = { id: request?.id ?? "", isPending: request?.state === "pending" };
        expect(await list({ organizationId, after, limit: 2 })).toEqual(ordered.slice(index + 1, index + 3));
      }
    });

    it("finds the newest request for each family", async () => {
      const { organizationId, requests } = await stored("declined", "declined", "pending");
      expect(await opened.store.requests.latest(organizationId)).toEqual([requests[2], requests[1]]);
      expect(await opened.store.requests.latest("unknown")).toEqual([]);
    });

    it("stores decisions, and finds those that came with a licence", async () => {
      const { store } = opened;
      const { organizationId, requests } = await stored("pending", "pending");
      const [one, other] = requests as [AccessRequest, AccessRequest];
      const pending = await store.requests.countPending();
      const granted = licence({ organizationId, base: one.base, starts: day(0), expires: day(9) });
      const after: AccessRequest = { ...one, state: "granted", reply: "", decided: day(5), licenceId: granted.id };
      await store.change(async (tables) => {
        await tables.licences.insert(granted);
        await tables.requests.update(after);
      });
      expect(await store.requests.byId(one.id)).toEqual(after);
      expect(await store.requests.byId(other.id)).toEqual(other);
      expect(await store.requests.settled(granted.id, day(5))).toEqual([after]);
      expect(await store.requests.settled(granted.id, day(6))).toEqual([]);
      expect(await store.requests.countPending()).toBe(pending - 1);
    });
  });
}
