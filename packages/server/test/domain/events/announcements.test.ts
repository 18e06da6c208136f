import { EVENTS, type EventType } from "@dbdepot/contract/v2/events";
import { Check } from "typebox/value";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { stageBuild } from "../../../src/domain/builds/publishing/stage.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import type { Event } from "../../../src/domain/events/event.ts";
import { eventToWire } from "../../../src/domain/events/wire.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "../../../src/domain/keys/keys.ts";
import { endLicence, grantLicence, renewLicence } from "../../../src/domain/licences/licences.ts";
import { createRequest, declineRequest } from "../../../src/domain/requests/requests.ts";
import { storedOrganization } from "../../adapters/sql/samples.ts";
import { Depot } from "../builds/depot.ts";
import { sampleBuild } from "../builds/sample-build.ts";

type Expected = Partial<Event> & { type: EventType };

for (const stage of eitherStage()) {
  describe(`events on ${stage.name}`, () => {
    let depot: Depot;
    let count = 0;
    beforeAll(async () => {
      depot = await Depot.open(stage);
    });
    afterAll(() => depot.dispose());

    async function newVersion(): Promise<string> {
      count += 1;
      return depot.addVersion(`some_v${count}`);
    }

    const publish = (id: string, mark: string) => depot.publish(id, sampleBuild(id, { mark }));

    /** Runs an operation and expects one event with the revision of its only change, and data that match the schema. */
    async function expectEvent<T>(work: () => Promise<T>, describe: (result: T) => Expected): Promise<T> {
      const before = await depot.store.events.latest();
      const result = await work();
      const revision = await depot.store.revision();
      const events = await depot.store.events.after(before, 10);
      const created = depot.clock.now();
      const unspecific = { organizationId: null, base: null, data: expect.any(Object) };
      expect(events).toEqual([{ id: expect.any(String), revision, created, ...unspecific, ...describe(result) }]);
      for (const event of events) expectValid(event);
      return result;
    }

    async function expectNone(work: () => Promise<unknown>): Promise<void> {
      const before = await depot.store.events.latest();
      await work();
      expect(await depot.store.events.after(before, 10)).toEqual([]);
    }

    function expectValid(event: Event): void {
      const schema = EVENTS[event.type];
      const wire = eventToWire(event);
      expect(wire).toEqual({
        id: event.id,
        type: event.type,
        timestamp: event.created.toISOString(),
        data: event.data,
      });
      expect(Check(schema, wire), JSON.stringify(wire)).toBe(true);
      expect(Object.keys(wire.data).sort()).toEqual(Object.keys(schema.properties.data.properties).sort());
    }

    async function newKey(organizationId: string | null) {
      const scopes = organizationId === null ? ["operator.read"] : ["db.download"];
      return createKey(depot.operation(), { organizationId, name: "ci", scopes, cidrs: [], expires: null });
    }

    it("are written when a build is published or rolled back to", async () => {
      const id = await newVersion();
      const base = id.replace(/_v\d+$/, "");
      const event = (buildId: string, previous: string | null) => ({
        type: "build.published" as const,
        base,
        data: {
          id,
          build_id: buildId,
          previous_build_id: previous,
          updated: "2026-11-01",
          entries: expect.any(Number),
          changes: null,
        },
      });
      const first = await expectEvent(
        () => publish(id, "1"),
        ({ build }) => event(build.id, null),
      );
      const second = await expectEvent(
        () => publish(id, "2"),
        ({ build }) => event(build.id, first.build.id),
      );
      await expectEvent(
        () => rollBack(depot.operation(), { versionId: id }),
        () => event(first.build.id, second.build.id),
      );
    });

    it("are written when a build is withdrawn", async () => {
      const id = await newVersion();
      const base = id.replace(/_v\d+$/, "");
      const [{ build: first }, { build: second }] = [await publish(id, "1"), await publish(id, "2")];
      for (const [withdrawn, current] of [
        [second.id, first.id],
        [first.id, null],
      ] as const) {
        await expectEvent(
          () => withdrawBuild(depot.operation(), withdrawn),
          () => ({
            type: "build.withdrawn",
            base,
            data: { id, build_id: withdrawn, current_build_id: current, reason: null },
          }),
        );
      }
    });

    it("are not written for a staged, unchanged or refused build", async () => {
      const id = await newVersion();
      await expectNone(() => stageBuild(depot.operation(), { versionId: id, document: sampleBuild(id).document }));
      const { build } = await publish(id, "1");
      await expectNone(() => publish(id, "1"));
      await expectNone(() => expect(rollBack(depot.operation(), { versionId: id })).rejects.toThrow());
      await withdrawBuild(depot.operation(), build.id);
      await expectNone(() => expect(withdrawBuild(depot.operation(), build.id)).rejects.toThrow());
    });

    it("are written when a licence is granted, renewed or ended", async () => {
      const { id: organizationId } = await storedOrganization(depot.store);
      const base = (await newVersion()).replace(/_v\d+$/, "");
      const now = depot.clock.now();
      const expires = new Date(now.getTime() + 1000);
      const request = { organization: organizationId, base, redistribution: "internal", expires };
      const event = (type: EventType, end: Date | null, id: string) => ({
        type,
        organizationId,
        base,
        data: {
          id,
          base,
          redistribution: "internal",
          starts: now.toISOString(),
          expires: end?.toISOString() ?? null,
          renews_at: null,
        },
      });
      const { id } = await expectEvent(
        () => grantLicence(depot.operation(), request),
        (licence) => event("licence.granted", expires, licence.id),
      );
      await expectEvent(
        () => renewLicence(depot.operation(), id, { expires: null }),
        () => event("licence.renewed", null, id),
      );
      await expectNone(() => renewLicence(depot.operation(), id, { renewsAt: expires }));
      depot.clock.advance("1 seconds");
      const ended = event("licence.ended", depot.clock.now(), id);
      await expectEvent(
        () => endLicence(depot.operation(), id),
        () => ({ ...ended, data: { ...ended.data, renews_at: expires.toISOString() } }),
      );
      await expectNone(() => expect(endLicence(depot.operation(), id)).rejects.toThrow("has already ended"));
      const unknown = { ...request, base: "unknown" };
      await expectNone(() => expect(grantLicence(depot.operation(), unknown)).rejects.toThrow());
    });

    it("are written when access is requested and declined, without the person and the message", async () => {
      const { id: organizationId } = await storedOrganization(depot.store);
      const base = (await newVersion()).replace(/_v\d+$/, "");
      const wanted = {
        organizationId,
        base,
        person: { email: "ada@customer.example", name: "Ada" },
        message: "Please",
      };
      const event = (type: EventType, id: string, state: string, reply: string | null) => ({
        type,
        organizationId,
        base,
        data: { id, base, state, reply, licence_id: null },
      });
      const { request } = await expectEvent(
        () => createRequest(depot.operation(), wanted),
        ({ request: { id } }) => event("access_request.created", id, "pending", null),
      );
      await expectNone(() => createRequest(depot.operation(), wanted));
      await expectEvent(
        () => declineRequest(depot.operation(), request.id, "No"),
        ({ id }) => event("access_request.declined", id, "declined", "No"),
      );
    });

    it("are written when a key is created, rotated or revoked, without its secret", async () => {
      const { id: organizationId } = await storedOrganization(depot.store);
      const event = (type: EventType, id: string, prefix: string) => ({
        type,
        organizationId,
        data: { id, name: "ci", key_prefix: prefix, expires: null },
      });
      const { key } = await expectEvent(
        () => newKey(organizationId),
        ({ key, plain }) => event("key.created", key.id, plain.prefix),
      );
      const { plain } = await expectEvent(
        () => rotateKey(depot.operation(), key.id, 0),
        ({ plain }) => event("key.rotated", key.id, plain.prefix),
      );
      await expectNone(() => updateKey(depot.operation(), key.id, { cidrs: ["192.0.2.0/24"] }));
      await expectEvent(
        () => revokeKey(depot.operation(), key.id),
        () => event("key.revoked", key.id, plain.prefix),
      );
      await expectNone(() => expect(revokeKey(depot.operation(), key.id)).rejects.toThrow("was revoked"));
    });

    it("are not written for keys of operators", async () => {
      await expectNone(async () => {
        const { key } = await newKey(null);
        await rotateKey(depot.operation(), key.id, 0);
        await revokeKey(depot.operation(), key.id);
      });
    });
  });
}
