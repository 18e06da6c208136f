import { DeliveryDetails } from "@dbdepot/contract/v2/webhooks";
import { Value } from "typebox/value";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { call, expectRefusal, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { createKey, revokeKey } from "../../../src/domain/keys/keys.ts";
import { ALLOW_LOOPBACK, isSignedWith, Receiver } from "../../domain/webhooks/receiver.ts";
import { type Admin, adminOf, newAdmin } from "../iam/admin.ts";

const NO_ID = "0192aaaa-0000-7000-8000-000000000000";

function send(admin: Admin, method: string, path: string, body?: unknown): Promise<Reply> {
  return call(`${admin.apiUrl}/api/v2/webhooks${path}`, {
    method,
    headers: {
      authorization: `Bearer ${admin.key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

for (const stage of eitherStage()) {
  describe(`/api/v2/webhooks on ${stage.name}`, () => {
    let test: TestService;
    let receiver: Receiver;
    let acme: Admin;
    let globex: Admin;
    let organizations = 0;
    beforeAll(async () => {
      test = await testService(stage, ALLOW_LOOPBACK);
    });
    afterAll(() => test.dispose());
    beforeEach(async () => {
      receiver = await Receiver.start();
      organizations += 1;
      acme = await newAdmin(test, `Acme ${organizations}`);
      globex = await newAdmin(test, `Globex ${organizations}`);
    });
    afterEach(async () => {
      for (const admin of [acme, globex]) {
        for (const { id } of (await send(admin, "GET", "")).json.webhooks) await send(admin, "DELETE", `/${id}`);
      }
      await receiver.close();
    });

    async function create(admin = acme, more = {}) {
      const reply = await send(admin, "POST", "", { url: receiver.url(), ...more });
      expect(reply.status).toBe(200);
      return reply.json;
    }

    it("creates webhooks and shows their secrets once", async () => {
      const { secret, ...webhook } = await create(acme, { description: " import ", event_types: ["build.published"] });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(webhook).toEqual({
        id: webhook.id,
        url: receiver.url(),
        description: "import",
        event_types: ["build.published"],
        enabled: true,
        disabled: null,
        disabled_reason: null,
        old_secret_until: null,
        failing_since: null,
        next_attempt: null,
        last_delivered: null,
        created: test.clock.now().toISOString(),
      });
      expect((await send(acme, "GET", "")).json).toEqual({ webhooks: [webhook] });
      expect((await send(acme, "GET", `/${webhook.id}`)).json).toEqual(webhook);
      const rotated = (await send(acme, "POST", `/${webhook.id}/rotate`)).json;
      const { id: deliveryId } = (await send(acme, "POST", `/${webhook.id}/test`)).json;
      const updated = await send(acme, "PATCH", `/${webhook.id}`, { description: "other" });
      const log = await send(acme, "GET", `/${webhook.id}/deliveries`);
      const details = await send(acme, "GET", `/${webhook.id}/deliveries/${deliveryId}`);
      expect(Value.Check(DeliveryDetails, details.json)).toBe(true);
      expect(details.json).toMatchObject({
        ...log.json.deliveries[0],
        request: { headers: { "webhook-id": expect.any(String) }, body: receiver.received[0]?.raw, truncated: false },
        response: { body: "", truncated: false },
      });
      const { entries } = { entries: await test.service.services.store.audit.list({ limit: 100 }) };
      const shown = [updated.text, log.text, details.text, JSON.stringify(entries), test.logs()].join("\n");
      for (const each of [secret, rotated.secret]) expect(shown).not.toContain(each.slice("whsec_".length));
      expect(entries[0]).toMatchObject({
        action: "webhook.updated",
        subject: webhook.id,
        before: { description: "import", secret: "whsec_***" },
        after: { description: "other" },
      });
    });

    it("refuses bad URLs, types, descriptions and unknown fields", async () => {
      for (const url of [
        "https://10.0.0.1/",
        "https://[::1]/",
        "ftp://example.com",
        "no url",
        "https://a:b@example.com",
      ]) {
        expectRefusal(await send(acme, "POST", "", { url }), 400, "INVALID_URL");
      }
      const { id } = await create();
      expectRefusal(await send(acme, "PATCH", `/${id}`, { url: "https://192.168.0.1/" }), 400, "INVALID_URL");
      const url = receiver.url();
      for (const body of [
        {},
        { url: 1 },
        { url, event_types: [] },
        { url, event_types: ["webhook.test"] },
        { url, description: "two\nlines" },
        { url, description: "a".repeat(201) },
        { url, secret: "mine" },
      ]) {
        expectRefusal(await send(acme, "POST", "", body), 400, "INVALID_REQUEST");
      }
      expectRefusal(await send(acme, "PATCH", `/${id}`, {}), 400, "INVALID_REQUEST");
      expectRefusal(await send(acme, "GET", `/${id}/deliveries?limit=0`), 400, "INVALID_REQUEST");
      expectRefusal(await send(acme, "GET", `/${id}/deliveries?cursor=nonsense`), 400, "INVALID_REQUEST");
    });

    it("allows 20 webhooks per organization", async () => {
      for (let i = 0; i < 20; i += 1) await create();
      expectRefusal(await send(acme, "POST", "", { url: receiver.url() }), 409, "TOO_MANY_WEBHOOKS");
      await create(globex);
    });

    it("hides the webhooks of other organizations", async () => {
      const { id } = await create();
      const { id: delivery } = (await send(acme, "POST", `/${id}/test`)).json;
      expect((await send(globex, "GET", "")).json).toEqual({ webhooks: [] });
      const own = (await create(globex)).id;
      const calls: [string, string, object?][] = [
        ["GET", `/${id}`],
        ["PATCH", `/${id}`, { enabled: false }],
        ["DELETE", `/${id}`],
        ["POST", `/${id}/rotate`],
        ["POST", `/${id}/test`],
        ["GET", `/${id}/deliveries`],
        ["GET", `/${id}/deliveries/${delivery}`],
        ["GET", `/${own}/deliveries/${delivery}`],
        ["POST", `/${id}/deliveries/${delivery}/redeliver`],
        ["POST", `/${own}/deliveries/${delivery}/redeliver`],
      ];
      for (const [method, path, body] of calls) {
        const reply = await send(globex, method, path, body);
        expectRefusal(reply, 404, "NOT_FOUND");
        expect(reply.text).toBe((await send(globex, method, path.replace(id, NO_ID), body)).text);
      }
      expect((await send(acme, "GET", `/${id}`)).json.enabled).toBe(true);
      expect(receiver.received).toHaveLength(1);
    });

    it("refuses keys without the scope, in other places than the header, and revoked a moment ago", async () => {
      const customer = await adminOf(test, acme, { scopes: ["db.download"] });
      expectRefusal(await send(customer, "GET", ""), 401, "UNAUTHORIZED");
      const url = `${acme.apiUrl}/api/v2/webhooks`;
      expectRefusal(await call(`${url}?apikey=${acme.key}`), 401, "UNAUTHORIZED");
      const revoked = await adminOf(test, acme);
      expect((await send(revoked, "GET", "")).status).toBe(200);
      await revokeKey(test.operator.operation(), revoked.keyId);
      expectRefusal(await send(revoked, "POST", "", { url: receiver.url() }), 401, "UNAUTHORIZED");
    });

    it("sends test events at once and logs them", async () => {
      const { id, secret } = await create();
      const reply = await send(acme, "POST", `/${id}/test`);
      expect(reply.json).toMatchObject({
        event_type: "webhook.test",
        attempt: 1,
        trigger: "test",
        outcome: "delivered",
        http_status: 204,
        error: null,
      });
      const [received] = receiver.received;
      expect(received?.body).toMatchObject({ id: reply.json.event_id, type: "webhook.test" });
      expect(received && isSignedWith(secret, received)).toBe(true);
      receiver.respond = () => 404;
      expect((await send(acme, "POST", `/${id}/test`)).json).toMatchObject({ outcome: "failed", http_status: 404 });
      const { deliveries } = (await send(acme, "GET", `/${id}/deliveries`)).json;
      expect(deliveries.map(({ http_status }: { http_status: number }) => http_status)).toEqual([404, 204]);
      expectRefusal(await send(acme, "POST", `/${id}/deliveries/${deliveries[0].id}/redeliver`), 404, "NOT_FOUND");
    });

    it("limits test events", async () => {
      const { id } = await create();
      const statuses: number[] = [];
      for (let i = 0; i < 21; i += 1) statuses.push((await send(acme, "POST", `/${id}/test`)).status);
      expect(statuses).toEqual([...Array(20).fill(200), 429]);
      const other = (await create(globex)).id;
      expect((await send(globex, "POST", `/${other}/test`)).status).toBe(200);
    });

    it("sends an event again with the same id, and continues with those that wait", async () => {
      const { id, secret } = await create();
      receiver.respond = () => 500;
      const request = { organizationId: acme.organizationId, scopes: [], cidrs: [], expires: null };
      for (const name of ["one", "two"]) await createKey(test.operator.operation(), { ...request, name });
      await expect.poll(async () => (await send(acme, "GET", `/${id}`)).json.next_attempt).not.toBeNull();
      const [failed] = (await send(acme, "GET", `/${id}/deliveries`)).json.deliveries;
      expect(failed).toMatchObject({ event_type: "key.created", outcome: "failed", http_status: 500 });
      receiver.respond = () => 200;
      const again = await send(acme, "POST", `/${id}/deliveries/${failed.id}/redeliver`);
      expect(again.json).toMatchObject({
        event_id: failed.event_id,
        attempt: 2,
        trigger: "redelivery",
        outcome: "delivered",
      });
      // The waiting event is sent without waiting for its next attempt.
      await expect.poll(() => receiver.received.at(-1)?.body.data.name).toBe("two");
      expect(receiver.received.every((each) => isSignedWith(secret, each))).toBe(true);
      await expect.poll(async () => (await send(acme, "GET", `/${id}`)).json.failing_since).toBeNull();
    });

    it("pages through deliveries", async () => {
      const { id } = await create();
      for (let i = 0; i < 3; i += 1) await send(acme, "POST", `/${id}/test`);
      const first = await send(acme, "GET", `/${id}/deliveries?limit=2`);
      const link = /^<(\/api\/v2\/webhooks([^>]+))>; rel="next"$/.exec(first.headers.get("link") ?? "");
      expect(link?.[1]).toContain(`/${id}/deliveries?limit=2&cursor=`);
      const second = await send(acme, "GET", link?.[2] ?? "");
      expect(second.headers.get("link")).toBeNull();
      const ids = [...first.json.deliveries, ...second.json.deliveries].map((delivery: { id: string }) => delivery.id);
      expect(ids).toEqual([...ids].sort().reverse());
      expect(new Set(ids).size).toBe(3);
    });

    it("signs with both secrets for a day after a rotation", async () => {
      const { id, secret } = await create();
      const rotated = (await send(acme, "POST", `/${id}/rotate`)).json;
      expect(rotated.secret).not.toBe(secret);
      expect(rotated.old_secret_until).toBe(new Date(test.clock.now().getTime() + 86_400_000).toISOString());
      await send(acme, "POST", `/${id}/test`);
      const both = receiver.received.at(-1);
      expect(both && [isSignedWith(secret, both), isSignedWith(rotated.secret, both)]).toEqual([true, true]);
      const { webhooks } = test.service.services.store;
      const webhook = await webhooks.byId(id);
      if (!webhook?.oldSecret) throw new Error("there is no old secret");
      // The reference implementation rejects requests of another day, so the end of the overlap moves instead of the
      // clock.
      await webhooks.update({ ...webhook, oldSecret: { ...webhook.oldSecret, until: test.clock.now() } });
      await send(acme, "POST", `/${id}/test`);
      const one = receiver.received.at(-1);
      expect(one && [isSignedWith(secret, one), isSignedWith(rotated.secret, one)]).toEqual([false, true]);
    });

    it("disables, enables and deletes webhooks", async () => {
      const { id } = await create();
      expect((await send(acme, "PATCH", `/${id}`, { enabled: false })).json).toMatchObject({
        enabled: false,
        disabled: test.clock.now().toISOString(),
        disabled_reason: "manual",
      });
      expect((await send(acme, "PATCH", `/${id}`, { enabled: true, event_types: null })).json).toMatchObject({
        enabled: true,
        disabled: null,
        disabled_reason: null,
        event_types: null,
      });
      await send(acme, "POST", `/${id}/test`);
      const deleted = await send(acme, "DELETE", `/${id}`);
      expect([deleted.status, deleted.text]).toEqual([204, ""]);
      expectRefusal(await send(acme, "GET", `/${id}`), 404, "NOT_FOUND");
      expectRefusal(await send(acme, "DELETE", `/${id}`), 404, "NOT_FOUND");
      const dump = await test.stage.dump();
      expect(JSON.stringify([dump.webhook_endpoints, dump.webhook_deliveries])).not.toContain(id);
    });
  });
}
