import { EVENTS, type EventType } from "@dbdepot/contract/v2/events";
import { Check } from "typebox/value";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, call, expectRefusal } from "../../../../../rigs/harness/service/customer.ts";
import { EventReader } from "../../../../../rigs/harness/service/event-reader.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { createKey, revokeKey, rotateKey, updateKey } from "../../../src/domain/keys/keys.ts";
import { endLicence } from "../../../src/domain/licences/licences.ts";
import { TIMEOUTS } from "../../../src/http/app.ts";
import { newId } from "../../../src/platform/primitives/ids.ts";
import { type Service, startService } from "../../../src/service/service.ts";
import { personOf } from "../console/person.ts";

const MANAGER = { scopes: ["db.download", "apikeys.manage"] };

for (const stage of eitherStage()) {
  describe(`GET /api/v2/events on ${stage.name}`, () => {
    let test: TestService;
    let acme: Customer;
    let count = 0;
    let id: string;
    let base: string;
    const readers: EventReader[] = [];
    beforeAll(async () => {
      test = await testService(
        stage,
        { DBDEPOT_EVENT_STREAMS: "8", DBDEPOT_EVENT_STREAMS_PER_KEY: "3", DBDEPOT_EVENT_STREAMS_PER_ORGANIZATION: "6" },
        { timeouts: { ...TIMEOUTS, heartbeatMs: 50 } },
      );
    });
    afterAll(() => test.dispose());
    beforeEach(async () => {
      count += 1;
      base = `family${count}`;
      id = `${base}_v1`;
      await test.operator.addDatabase(id);
      acme = await test.operator.customer(`Acme ${count}`);
    });
    afterEach(async () => {
      for (const reader of readers.splice(0)) reader.close();
      await expect.poll(openStreams).toBe(0);
    });

    async function openStreams(): Promise<number> {
      return (await test.service.services.metrics.eventStreams.get()).values[0]?.value ?? 0;
    }

    async function follow(customer: Customer, lastId?: string, url = test.service.apiUrl): Promise<EventReader> {
      const reader = await EventReader.open(url, {
        authorization: `Bearer ${customer.key}`,
        ...(lastId && { "last-event-id": lastId }),
      });
      readers.push(reader);
      return reader;
    }

    /** Makes the other one of two builds current. */
    async function rollBackTo(versionId: string): Promise<string> {
      const { builds, versions } = test.service.services.store;
      const current = (await versions.byId(versionId))?.currentBuildId;
      const to = (await builds.list(versionId)).find((build) => build.id !== current)?.id ?? "";
      await rollBack(test.operator.operation(), { versionId, to });
      return to;
    }

    async function rollBackAndForth(times: number): Promise<void> {
      for (let i = 0; i < times; i += 1) await rollBackTo(id);
    }

    async function publishTwice(versionId: string): Promise<void> {
      await test.operator.publish(versionId, "1");
      test.clock.advance("1 seconds");
      await test.operator.publish(versionId, "2");
    }

    /** A stream that has received the grant of a licence, so all earlier events were sent. There are two builds. */
    async function followLicensed(): Promise<EventReader> {
      await publishTwice(id);
      const reader = await follow(acme);
      await test.operator.grant(acme.organizationId, base);
      await reader.expectTypes("reset", "licence.granted");
      return reader;
    }

    it("sends events of the organization as they happen, with their ids and documents", async () => {
      const reader = await followLicensed();
      expect(reader.response?.status).toBe(200);
      expect(Object.fromEntries(reader.response?.headers ?? [])).toMatchObject({
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no",
        "x-request-id": expect.any(String),
      });
      const build = await rollBackTo(id);
      await reader.expectTypes("reset", "licence.granted", "build.published");
      await withdrawBuild(test.operator.operation(), build);
      await reader.expectTypes("reset", "licence.granted", "build.published", "build.withdrawn");
      expect(reader.events[2]?.data.data).toMatchObject({ id, build_id: build });
      for (const event of reader.events.slice(1)) {
        expect(event.data).toMatchObject({ id: event.id, type: event.event });
        expect(Check(EVENTS[event.event as EventType], event.data)).toBe(true);
      }
      expect(reader.text).toMatch(/^retry: \d{4}\n\n/);
      expect(reader.text).not.toContain(acme.key);
    });

    it("accepts the key in every way, and refuses what the other routes of v2 refuse", async () => {
      const url = `${test.service.apiUrl}/api/v2/events`;
      for (const init of [{ headers: { "x-api-key": acme.key } }, {}]) {
        const response = await fetch("headers" in init ? url : `${url}?apikey=${acme.key}`, init);
        expect(response.status).toBe(200);
        await response.body?.cancel();
      }
      expectRefusal(await call(url), 401, "UNAUTHORIZED");
      const weak = await test.operator.colleague(acme, { scopes: ["apikeys.manage"] });
      expectRefusal(await weak.get("/api/v2/events"), 401, "UNAUTHORIZED");
      const head = await call(url, { method: "HEAD", headers: { authorization: `Bearer ${acme.key}` } });
      expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    });

    it("resumes after the last event, from the header or the parameter, without a gap or a repetition", async () => {
      const first = await followLicensed();
      await rollBackAndForth(2);
      await first.expectTypes("reset", "licence.granted", "build.published", "build.published");
      const ids = first.events.map((event) => event.id);
      first.close();
      // More than a page of the feed.
      await rollBackAndForth(205);
      const resumed = await follow(acme, ids[2]);
      await expect.poll(() => resumed.events.length).toBe(206);
      await rollBackAndForth(1);
      await expect.poll(() => resumed.events.length).toBe(207);
      expect(resumed.events[0]?.id).toBe(ids[3]);
      expect(new Set(resumed.events.map((event) => event.id)).size).toBe(207);
      const builds = resumed.events.map(({ data }) => data.data);
      for (const [i, build] of builds.slice(1).entries()) expect(build.previous_build_id).toBe(builds[i].build_id);
      const inUrl = await EventReader.open(test.service.apiUrl, { "x-api-key": acme.key }, resumed.events[204]?.id);
      readers.push(inUrl);
      await inUrl.expectTypes("build.published", "build.published");
    });

    it("misses nothing if events are written while a client connects", async () => {
      const first = await followLicensed();
      const writing = rollBackAndForth(30);
      const start = first.events[1]?.id;
      const others = [await follow(acme, start), await follow(acme, start)];
      await writing;
      for (const reader of others) {
        await expect.poll(() => reader.events.length).toBe(30);
        expect(reader.events.map((event) => event.id)).toEqual(first.events.slice(2).map((event) => event.id));
      }
    });

    it.each(["", "nonsense", newId(new Date()), "%00"])("begins with a reset for the unknown id %j", async (lastId) => {
      const reader = await follow(acme, lastId);
      await reader.expectTypes("reset");
      expect(reader.events).toEqual([{ id: "", event: "reset", data: {} }]);
      const response = await fetch(`${test.service.apiUrl}/api/v2/events?last_event_id=${lastId}`, {
        headers: { authorization: `Bearer ${acme.key}` },
      });
      expect(response.status).toBe(200);
      await response.body?.cancel();
    });

    it("begins with a reset if the last event was removed", async () => {
      const [, last] = (await followLicensed()).events;
      await test.service.services.store.events.removeBefore(new Date(test.clock.now().getTime() + 1), 1000);
      const reader = await follow(acme, last?.id);
      await reader.expectTypes("reset");
    });

    it("sends builds only to organizations that can download them at that moment", async () => {
      const privateId = `private${count}_v1`;
      await test.operator.addDatabase(privateId, { visibility: "private" });
      const beta = await test.operator.customer(`Beta ${count}`);
      await publishTwice(privateId);
      const [own, other] = [await followLicensed(), await follow(beta)];
      const licence = own.events[1]?.data.data.id;
      await rollBackTo(privateId);
      await rollBackAndForth(1);
      await own.expectTypes("reset", "licence.granted", "build.published");
      expect(own.events[2]?.data.data.id).toBe(id);
      await endLicence(test.operator.operation(), licence);
      await rollBackAndForth(1);
      await test.operator.grant(beta.organizationId, `private${count}`);
      await rollBackTo(privateId);
      await other.expectTypes("reset", "licence.granted", "build.published");
      expect(other.events[2]?.data.data.id).toBe(privateId);
      await own.expectTypes("reset", "licence.granted", "build.published", "licence.ended");
      expect(own.text).not.toContain(`private${count}`);
      // The current licences also decide which missed events are sent.
      const late = await follow(beta, own.events[2]?.id);
      await late.expectTypes("licence.granted", "build.published");
    });

    it("sends changes of keys only to keys that manage keys", async () => {
      const manager = await test.operator.colleague(acme, MANAGER);
      const [plain, managing] = [await follow(acme), await follow(manager)];
      const request = { name: "new", scopes: [], cidrs: [], expires: null };
      const { organizationId } = acme;
      const { key } = await createKey(test.operator.operation(), { ...request, organizationId });
      await rotateKey(test.operator.operation(), key.id, 0);
      await revokeKey(test.operator.operation(), key.id);
      await test.operator.grant(organizationId, base);
      const all = ["key.created", "key.rotated", "key.revoked", "licence.granted"];
      await expect.poll(() => managing.types.slice(-4)).toEqual(all);
      await plain.expectTypes("reset", "licence.granted");
    });

    it("ends when the key is revoked, loses its scope, expires or is rotated", async () => {
      const customers = await Promise.all([1, 2, 3, 4].map(() => test.operator.colleague(acme)));
      const [revoked, weakened, expired, rotated] = customers as [Customer, Customer, Customer, Customer];
      const expires = new Date(test.clock.now().getTime() + 3_600_000);
      await updateKey(test.operator.operation(), expired.keyId, { expires });
      const streams = await Promise.all(customers.map((customer) => follow(customer)));
      const bystander = await follow(acme);
      for (const reader of [...streams, bystander]) await reader.expectTypes("reset");
      await revokeKey(test.operator.operation(), revoked.keyId);
      await updateKey(test.operator.operation(), weakened.keyId, { scopes: ["apikeys.manage"] });
      await rotateKey(test.operator.operation(), rotated.keyId, 0);
      for (const i of [0, 1, 3]) await streams[i]?.expectClosed();
      expect(streams[2]?.isClosed).toBe(false);
      test.clock.advance("3600 seconds");
      await streams[2]?.expectClosed();
      expect(bystander.isClosed).toBe(false);
      for (const reader of streams) expect(reader.types).toEqual(["reset"]);
    });

    it("is open to people who are signed in, until they sign out", async () => {
      const person = await personOf(test, `ada${count}@example.com`, "admin", `Acme ${count}`);
      const reader = await EventReader.open(test.service.apiUrl, { cookie: person.cookie ?? "" });
      readers.push(reader);
      const colleague = await test.operator.colleague(acme);
      await expect.poll(() => reader.events.at(-1)?.data.data?.id).toBe(colleague.keyId);
      await person.send("DELETE", "/api/console/session");
      await reader.expectClosed();
    });

    it("sends a heartbeat while nothing happens", async () => {
      const reader = await follow(acme);
      await expect.poll(() => reader.text.match(/: heartbeat\n\n/g)?.length).toBeGreaterThan(1);
      expect(reader.types).toEqual(["reset"]);
    });

    it("refuses more streams than allowed per key, per organization and in total, until others end", async () => {
      const mine = [await follow(acme), await follow(acme), await follow(acme)];
      const limited = await acme.get("/api/v2/events");
      expectRefusal(limited, 429, "RATE_LIMITED");
      expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
      for (let i = 0; i < 3; i += 1) await follow(await test.operator.colleague(acme));
      const colleague = await test.operator.colleague(acme);
      expectRefusal(await colleague.get("/api/v2/events"), 429, "RATE_LIMITED");
      const other = await test.operator.customer(`Other ${count}`);
      for (let i = 0; i < 2; i += 1) await follow(other);
      const full = await other.get("/api/v2/events");
      expectRefusal(full, 503, "NOT_AVAILABLE");
      expect(Number(full.headers.get("retry-after"))).toBeGreaterThan(0);
      mine[0]?.close();
      await expect.poll(openStreams).toBe(7);
      expect((await follow(acme)).response?.status).toBe(200);
    });

    it("sends the same events from every replica", async () => {
      const here = await followLicensed();
      const replica: Service = await startService(test.stage.settings, { clock: test.clock.now });
      try {
        const there = await follow(acme, here.events[1]?.id, replica.apiUrl);
        await rollBackAndForth(2);
        await there.expectTypes("build.published", "build.published");
        await here.expectTypes("reset", "licence.granted", "build.published", "build.published");
        expect(there.events).toEqual(here.events.slice(2));
        const other = await follow(acme, here.events[2]?.id, replica.apiUrl);
        await other.expectTypes("build.published");
        await replica.close();
        await Promise.all([there.expectClosed(), other.expectClosed()]);
        expect(here.isClosed).toBe(false);
      } finally {
        await replica.close();
      }
    });

    it("counts streams and events", async () => {
      const { registry } = test.service.services.metrics;
      const metrics = await registry.metrics();
      expect(metrics).toContain('dbdepot_event_streams_ended_total{reason="refused"}');
      expect(metrics).toContain('dbdepot_event_streams_ended_total{reason="client"}');
      expect(metrics).toContain('dbdepot_http_requests_total{method="GET",route="/api/v2/events",status="200"}');
      const timed = /duration_seconds_count\{method="GET",route="\/api\/v2\/events"\} (\d+)/.exec(metrics)?.[1];
      // Only refused requests are timed: two without a valid key and three above the limit.
      expect(timed).toBe("5");
      expect(metrics).toMatch(/dbdepot_events_sent_total\{type="build.published"\} \d+/);
    });
  });
}
