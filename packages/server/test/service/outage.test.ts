import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SignedFreshness } from "@dbdepot/contract/v2/freshness";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { fullDisk } from "../../../../rigs/harness/full-disk.ts";
import { Customer, call, expectRefusal } from "../../../../rigs/harness/service/customer.ts";
import { postgresUrl } from "../../../../rigs/harness/service/engines.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { PlainKey } from "../../src/domain/access/secret.ts";
import { createFreshnessKey } from "../../src/domain/manifests/freshness-keys.ts";
import { createSigningKey } from "../../src/domain/manifests/signing-keys.ts";
import { updateOrganization } from "../../src/domain/organizations/organizations.ts";
import { expectToSurviveOutage, serviceBehindProxy } from "./outage-under-load.ts";

const [, stage] = stages() as [Stage, Stage];
const WAIT = { timeout: 60_000 };

/** Refuses connections to the database and closes the open ones, or accepts connections again. */
async function setReachable({ databaseName }: TestService, isReachable: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl() });
  await client.connect();
  await client.query(`alter database ${databaseName} with allow_connections ${isReachable}`);
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [databaseName]);
  await client.end();
}

describe("While Postgres is unreachable", () => {
  let test: TestService;
  let acme: Customer;
  let latecomer: Customer;
  let buildId: string;

  beforeAll(async () => {
    test = await testService(stage, { DBDEPOT_OUTAGE_GRACE_SECONDS: "600" });
    acme = await test.operator.customer("Acme");
    latecomer = await test.operator.customer("Latecomer");
    await test.operator.addDatabase("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    // What it has used is not known during the outage, so its downloads are granted.
    await updateOrganization(test.operator.operation(), "Acme", { limits: { downloads_per_day: 100 } });
    await createSigningKey(test.operator.operation());
    await createFreshnessKey(test.operator.operation(), { validDays: 365 });
    await test.operator.publish("vpn_ip_v1", "the older content");
    buildId = (await test.operator.publish("vpn_ip_v1")).id;
    await vi.waitUntil(() => test.service.services.register.hasAllKeys, WAIT);
    await setReachable(test, false);
    await vi.waitUntil(() => test.service.services.database.isOutOfReach(), WAIT);
  });
  afterAll(() => test.dispose());

  it("serves downloads, metadata and the list from memory", async () => {
    expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    expect((await acme.metadata("vpn_ip_v1")).status).toBe(200);
    expect((await acme.list()).status).toBe(200);
    expect((await latecomer.list()).status).toBe(200);
  });

  it("serves the current build from memory, also if it is pinned", async () => {
    const pin = `&build=${buildId}`;
    expect((await acme.checksum("vpn_ip_v1", "mmdb", pin)).status).toBe(200);
    expect((await acme.metadata(`vpn_ip_v1${pin}`)).status).toBe(200);
    const freshness = (await acme.get("/api/v2/database/freshness?id=vpn_ip_v1")).json as SignedFreshness;
    expect(freshness.sequence).toBe(2);
    for (const which of ["", pin, "&sequence=2"]) {
      const reply = await acme.get(`/api/v2/database/manifest?id=vpn_ip_v1${which}`);
      expect(reply.headers.get("x-build-id")).toBe(buildId);
    }
  });

  it("returns 503 for unknown keys and the history, which need the database", async () => {
    const stranger = new Customer(acme.apiUrl, PlainKey.generate().reveal(), acme);
    expectRefusal(await stranger.list(), 503, "NOT_AVAILABLE");
    expectRefusal(await acme.get("/api/v2/database/downloads"), 503, "NOT_AVAILABLE");
    expect((await call(`${acme.apiUrl}/api/v2/database/list`)).status).toBe(401);
  });

  it("returns 503 for downloads and leaves no spool files if the disk is full as well", async () => {
    const spooled = () => readdir(join(test.dataDir, "spool"));
    const before = await spooled();
    using _ = await fullDisk();
    expectRefusal(await acme.download("vpn_ip_v1", "mmdb"), 503, "NOT_AVAILABLE");
    expect(await spooled()).toEqual(before);
  });

  it("recovers when Postgres is back, and records the attempts made during the outage", async () => {
    await setReachable(test, true);
    const status = async () => (await acme.get("/api/v2/database/downloads")).status;
    await expect.poll(status).toBe(200);
    await expect.poll(async () => (await acme.history()).map(({ outcome }) => outcome)).toEqual(["ok"]);
    expect((await latecomer.list()).status).toBe(200);
  });
});

describe("When Postgres is unreachable for longer than the grace period", () => {
  it("returns 503 for every request until Postgres is back", async () => {
    const test = await testService(stage, { DBDEPOT_OUTAGE_GRACE_SECONDS: "1" });
    const acme = await test.operator.customer("Acme");
    const status = async () => (await acme.list()).status;
    expect(await status()).toBe(200);
    await setReachable(test, false);
    await expect.poll(status).toBe(503);
    await setReachable(test, true);
    await expect.poll(status).toBe(200);
    await test.dispose();
  });
});

describe("While Postgres refuses connections", () => {
  it("known keys list, poll and download under load, and every attempt is stored once", async () => {
    const { test, proxy, dispose } = await serviceBehindProxy(600);
    await expectToSurviveOutage(test, { begin: () => proxy.close(), end: () => proxy.listen() });
    await dispose();
  });
});

describe("When Postgres accepts connections and never answers for longer than the grace period", () => {
  it("logs the outage, and refuses every request", async () => {
    const { test, proxy, dispose } = await serviceBehindProxy(1);
    const acme = await test.operator.customer("Acme");
    expect((await acme.list()).status).toBe(200);
    proxy.mode = "hang";
    // Sooner than the query of the register times out.
    await expect.poll(async () => (await acme.list()).status).toBe(503);
    expect((await call(`${acme.apiUrl}/readyz`)).status).toBe(503);
    expect(test.logs()).toContain("the database is unreachable");
    await dispose();
  });
});
