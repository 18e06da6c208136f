import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { PlainKey } from "../../src/keys/secret.ts";
import { Customer, call, expectRefusal } from "../customer.ts";
import { stages } from "../stages.ts";
import { type TestService, testService } from "../test-service.ts";

const atScale = stages().find(({ name }) => name.startsWith("Postgres"));

describe.runIf(atScale)("while Postgres is out of reach", () => {
  let test: TestService;
  let acme: Customer;
  let latecomer: Customer;

  beforeAll(async () => {
    if (!atScale) return;
    test = await testService(atScale, { DBDEPOT_OUTAGE_GRACE_SECONDS: "4" });
    acme = await test.operator.customer("Acme");
    latecomer = await test.operator.customer("Latecomer");
    await test.operator.addDatabase("vpn_ip_v1");
    await test.operator.grant("Acme", "vpn_ip");
    await test.operator.publish("vpn_ip_v1");
    await vi.waitUntil(() => test.service.parts.register.hasAllKeys, { timeout: 5000 });
    await setReach(false);
    await vi.waitUntil(() => test.service.parts.database.isOutOfReach(), { timeout: 5000 });
  });
  afterAll(() => test.dispose());

  /** Lets nobody in, and throws out who is. */
  async function setReach(isOpen: boolean): Promise<void> {
    const client = new pg.Client({ connectionString: inject("postgresUrl") });
    await client.connect();
    await client.query(`alter database ${test.databaseName} with allow_connections ${isOpen}`);
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      test.databaseName,
    ]);
    await client.end();
  }

  it("downloads, metadata, checksums and the list go on from memory", async () => {
    expect((await acme.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    expect((await acme.metadata("vpn_ip_v1")).status).toBe(200);
    expect((await acme.list()).status).toBe(200);
    expect((await latecomer.list()).status).toBe(200);
  });

  it("what needs the database is 503, not a fault: a key that is not in memory, the history", async () => {
    const stranger = new Customer(acme.apiUrl, PlainKey.generate().reveal(), acme);
    expectRefusal(await stranger.list(), 503, "NOT_AVAILABLE");
    expectRefusal(await acme.get("/api/v2/database/downloads"), 503, "NOT_AVAILABLE");
    expect((await call(`${acme.apiUrl}/api/v2/database/list`)).status).toBe(401);
  });

  it("ends when the grace is over: then nothing in memory is believed any more", async () => {
    await expect.poll(async () => (await acme.list()).status, { timeout: 6000 }).toBe(503);
  });

  it("is forgotten when it is back: everything works, and the attempts of the outage are in the history", async () => {
    await setReach(true);
    await expect.poll(async () => (await latecomer.list()).status, { timeout: 5000 }).toBe(200);
    await expect
      .poll(async () => (await acme.history()).map(({ outcome }) => outcome), { timeout: 5000 })
      .toEqual(["ok"]);
  });
});
