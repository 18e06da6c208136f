import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { needs } from "../../../../../rigs/harness/needs.ts";
import { call, expectRefusal, type Reply } from "../../../../../rigs/harness/service/customer.ts";
import { eitherStage } from "../../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../../rigs/harness/service/test-service.ts";
import { rollBack, withdrawBuild } from "../../../src/domain/builds/rollback.ts";
import { allowDestinations } from "../../../src/domain/destinations/destinations.ts";
import { enqueue } from "../../../src/domain/jobs/jobs.ts";
import { endLicence } from "../../../src/domain/licences/licences.ts";
import { CustomerBucket } from "../../domain/destinations/customer-bucket.ts";
import { ALLOW_LOOPBACK } from "../../domain/webhooks/receiver.ts";
import { type Admin, newAdmin } from "../iam/admin.ts";

const server = inject("s3");
const WAIT = { timeout: 60_000, interval: 50 };

function send(admin: Admin, method: string, path: string, body?: unknown): Promise<Reply> {
  return call(`${admin.apiUrl}/api/v2/destinations${path}`, {
    method,
    headers: {
      authorization: `Bearer ${admin.key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

for (const stage of eitherStage()) {
  describe(`/api/v2/destinations on ${stage.name}`, needs("Ceph"), () => {
    let test: TestService;
    let bucket: CustomerBucket;
    let acme: Admin;
    let directory: string;
    let database: string;
    let count = 0;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "dbdepot-secrets-"));
      const keyFile = join(directory, "secrets.key");
      writeFileSync(keyFile, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
      test = await testService(stage, { ...ALLOW_LOOPBACK, DBDEPOT_SECRETS_KEY_FILE: keyFile });
    });
    afterAll(async () => {
      await test.dispose();
      await rm(directory, { recursive: true });
    });
    beforeEach(async () => {
      if (!server) return;
      bucket = await CustomerBucket.create(server);
      count += 1;
      acme = await newAdmin(test, `Acme ${count}`);
      await allow(acme);
      database = `some${count}_v1`;
      await test.operator.addDatabase(database);
      await test.operator.grant(acme.organizationId, database.replace("_v1", ""));
    });
    afterEach(async () => {
      for (const { id } of (await send(acme, "GET", "")).json.destinations) await send(acme, "DELETE", `/${id}`);
      bucket.close();
    });

    async function allow({ organizationId }: Admin, isAllowed = true): Promise<void> {
      await allowDestinations(test.operator.operation(), async () => ({ id: organizationId }), isAllowed);
    }

    const request = () => ({
      bucket: bucket.name,
      prefix: "from/vendor",
      region: "us-east-1",
      endpoint: bucket.endpoint,
      access: "keys",
      access_key_id: bucket.credentials.accessKeyId,
      secret_access_key: bucket.credentials.secretAccessKey,
    });

    async function create(more = {}) {
      const reply = await send(acme, "POST", "", { ...request(), ...more });
      expect(reply.json).toMatchObject({ id: expect.any(String) });
      return reply.json;
    }

    async function verified(more = {}) {
      const destination = await create(more);
      await bucket.put(destination.ownership.key, `${destination.ownership.content}\n`);
      const tested = await send(acme, "POST", `/${destination.id}/test`);
      expect(tested.json).toMatchObject({ ok: true });
      return destination;
    }

    /** The outcomes of all deliveries, oldest first. */
    async function outcomes(id: string): Promise<string[]> {
      const { deliveries } = (await send(acme, "GET", `/${id}/deliveries`)).json;
      return deliveries.map(({ outcome }: { outcome: string }) => outcome).reverse();
    }

    async function plan(): Promise<void> {
      const { store, jobs } = test.service.services;
      await enqueue(store, "plan_deliveries", {}, test.clock.now());
      jobs.wake();
    }

    it("delivers a build once the bucket is verified, and each later one", async () => {
      const first = await test.operator.publish(database, "one");
      const { id, ownership } = await create();
      expect((await send(acme, "POST", `/${id}/test`)).json).toMatchObject({
        ok: false,
        steps: [{ step: "ownership", ok: false, problem: "ownership" }],
      });
      expect(await bucket.keys()).toEqual([]);
      await bucket.put(ownership.key, "something else");
      expect((await send(acme, "POST", `/${id}/test`)).json.ok).toBe(false);
      await bucket.put(ownership.key, ownership.content);
      expect((await send(acme, "POST", `/${id}/test`)).json).toEqual({
        ok: true,
        steps: ["ownership", "write", "read", "delete"].map((step) => ({ step, ok: true, problem: null, error: null })),
      });
      await expect.poll(() => outcomes(id), WAIT).toEqual(["delivered"]);
      const folder = `from/vendor/${database}`;
      expect(await bucket.keys()).toEqual(
        [
          ownership.key,
          `${folder}/${first.id}/${database}.csv.gz`,
          `${folder}/${first.id}/${database}.mmdb`,
          `${folder}/${first.id}/metadata.json`,
          `${folder}/latest.json`,
        ].sort(),
      );
      const marker = await bucket.latest("from/vendor", database);
      expect(marker).toMatchObject({ build_id: first.id, sequence: null });
      expect(marker?.files.map(({ kind }) => kind)).toEqual(["csvgz", "mmdb", "metadata"]);
      expect(await bucket.get(`${folder}/${first.id}/metadata.json`)).toEqual(first.metadata);

      const second = await test.operator.publish(database, "two");
      await plan();
      await expect.poll(() => outcomes(id), WAIT).toEqual(["delivered", "delivered"]);
      expect(await bucket.latest("from/vendor", database)).toMatchObject({ build_id: second.id });
      await plan();
      const downloads = await (await test.operator.colleague(acme)).history();
      expect(downloads).toHaveLength(4);
      for (const download of downloads) {
        expect(download).toMatchObject({
          dataset_id: database,
          outcome: "ok",
          http_status: 200,
          bytes: expect.any(Number),
          user_agent: `delivery (s3://${bucket.name}/from/vendor)`,
          client_ip: null,
          apikey_id: null,
        });
      }
      const events = await test.service.services.store.events.since(new Date(0), ["delivery.completed"]);
      expect(events.filter(({ organizationId }) => organizationId === acme.organizationId)).toMatchObject([
        { data: { destination_id: id, build_id: first.id, files: 3 } },
        { data: { destination_id: id, build_id: second.id, files: 3 } },
      ]);
      const shown = (await send(acme, "GET", `/${id}`)).json;
      expect(shown).toMatchObject({ databases: [{ id: database, build_id: second.id, refused: null }], error: null });
    });

    it("names the previous build before the files of a withdrawn one disappear, and keeps as many as configured", async () => {
      const { id } = await verified({ keep: 2, formats: ["mmdb"] });
      const builds = [];
      for (const content of ["one", "two", "three"]) {
        builds.push(await test.operator.publish(database, content));
        await plan();
        await expect.poll(() => outcomes(id), WAIT).toHaveLength(builds.length);
      }
      const mine = `from/vendor/${database}/${builds[0]?.id}/notes.txt`;
      await bucket.put(mine, "not yours");
      const [, second, third] = builds;
      const kept = (build: { id: string } | undefined) => `from/vendor/${database}/${build?.id}/${database}.mmdb`;
      await expect.poll(() => bucket.keys(), WAIT).not.toContain(kept(builds[0]));
      expect(await bucket.keys()).toEqual(expect.arrayContaining([mine, kept(second), kept(third)]));
      await rollBack(test.operator.operation(), { versionId: database, to: second?.id });
      test.service.services.jobs.wake();
      await expect.poll(() => bucket.latest("from/vendor", database), WAIT).toMatchObject({ build_id: second?.id });
      await withdrawBuild(test.operator.operation(), third?.id ?? "");
      await plan();
      await expect.poll(() => bucket.keys(), WAIT).not.toContain(kept(third));
      expect(await bucket.keys()).toContain(kept(second));
      await withdrawBuild(test.operator.operation(), second?.id ?? "");
      test.service.services.jobs.wake();
      await expect
        .poll(() => bucket.latest("from/vendor", database), WAIT)
        .toMatchObject({ build_id: null, files: [] });
      await expect.poll(() => bucket.keys(), WAIT).not.toContain(kept(second));
      expect(await bucket.get(mine)).toBeDefined();
    });

    it("is refused without permission, and stores no secret that anyone can read", async () => {
      const { id } = await create();
      const { secretAccessKey } = bucket.credentials;
      await send(acme, "PATCH", `/${id}`, { description: "changed" });
      const { entries } = { entries: await test.service.services.store.audit.list({ limit: 100 }) };
      const shown = [
        (await send(acme, "GET", "")).text,
        (await send(acme, "GET", `/${id}`)).text,
        JSON.stringify(entries),
        test.logs(),
        await test.databaseContent(),
      ];
      for (const text of shown) expect(text).not.toContain(secretAccessKey);
      expectRefusal(await send(acme, "POST", "", request()), 409, "CONFLICT");
      expectRefusal(await send(acme, "POST", "", { ...request(), access: "vendor" }), 409, "WAY_NOT_AVAILABLE");
      for (const endpoint of ["https://10.0.0.1", "ftp://s3.example.com", "https://a:b@example.com"]) {
        expectRefusal(await send(acme, "POST", "", { ...request(), prefix: "x", endpoint }), 400, "INVALID_URL");
      }
      for (const bad of [{ bucket: "UPPER" }, { bucket: "a/../b" }, { prefix: "../x" }, { keep: 0 }, { more: 1 }]) {
        expectRefusal(await send(acme, "POST", "", { ...request(), ...bad }), 400, "INVALID_REQUEST");
      }
      await allow(acme, false);
      expectRefusal(await send(acme, "POST", "", { ...request(), prefix: "x" }), 403, "DELIVERIES_NOT_ALLOWED");
      const globex = await newAdmin(test, `Globex ${count}`);
      expectRefusal(await send(globex, "GET", `/${id}`), 404, "NOT_FOUND");
      expectRefusal(await send(globex, "POST", `/${id}/test`), 404, "NOT_FOUND");
    });

    it("is paused after 24 hours of failures, with events, and continues when it is enabled", async () => {
      const destination = await verified();
      const { id } = destination;
      await send(acme, "PATCH", `/${id}`, { access_key_id: "nobody", secret_access_key: "wrong" });
      await test.operator.publish(database, "one");
      await plan();
      await expect.poll(() => outcomes(id), WAIT).toContain("failed");
      expect((await send(acme, "GET", `/${id}`)).json).toMatchObject({
        enabled: true,
        failing_since: expect.any(String),
      });
      test.clock.advance("2 days");
      await expect
        .poll(async () => {
          test.clock.advance("120 seconds");
          test.service.services.jobs.wake();
          return (await send(acme, "GET", `/${id}`)).json;
        }, WAIT)
        .toMatchObject({ enabled: false, paused_reason: "failing" });
      const events = await test.service.services.store.events.since(new Date(0), ["delivery.failed"]);
      const own = events.filter(({ organizationId }) => organizationId === acme.organizationId);
      expect(own.map(({ data }) => [data.problem, data.paused])).toEqual([
        [expect.stringMatching(/^(credentials|permission)$/), false],
        [expect.stringMatching(/^(credentials|permission)$/), true],
      ]);
      const { accessKeyId, secretAccessKey } = bucket.credentials;
      const repaired = { access_key_id: accessKeyId, secret_access_key: secretAccessKey, enabled: true };
      await send(acme, "PATCH", `/${id}`, repaired);
      test.service.services.jobs.wake();
      await expect.poll(() => outcomes(id), WAIT).toContain("delivered");
      expect(await bucket.latest("from/vendor", database)).toBeDefined();
      expect((await send(acme, "GET", `/${id}`)).json).toMatchObject({ enabled: true, error: null });
    });

    it("delivers nothing after the licence has ended, and records why once", async () => {
      const { id } = await verified();
      await test.operator.publish(database, "one");
      await plan();
      await expect.poll(() => outcomes(id), WAIT).toEqual(["delivered"]);
      const licences = await test.service.services.store.licences.list({ organizationId: acme.organizationId });
      test.clock.advance("3600 seconds");
      await endLicence(test.operator.operation(), licences[0]?.id ?? "");
      await test.operator.publish(database, "two");
      for (let time = 0; time < 2; time += 1) {
        await plan();
        await expect.poll(() => outcomes(id), WAIT).toEqual(["delivered", "refused"]);
      }
      const downloads = await (await test.operator.colleague(acme)).history();
      expect(downloads.map(({ outcome }) => outcome)).toEqual(["expired", "ok", "ok"]);
    });
  });
}
