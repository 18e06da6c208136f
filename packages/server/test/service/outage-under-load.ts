import { expect, vi } from "vitest";
import { UnreliableProxy } from "../../../../rigs/harness/servers/unreliable-proxy.ts";
import { call } from "../../../../rigs/harness/service/customer.ts";
import { engineNamed } from "../../../../rigs/harness/service/engines.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";

const [, stage] = stages() as [Stage, Stage];

/** The service, with a proxy before its database. */
export async function serviceBehindProxy(graceSeconds: number) {
  const database = await engineNamed("postgres").create("current");
  if (database.address.engine !== "postgres") throw new Error("not PostgreSQL");
  const url = new URL(database.address.url);
  const proxy = new UnreliableProxy(new URL(url));
  url.port = String(await proxy.listen());
  const settings = { DBDEPOT_DATABASE_URL: url.href, DBDEPOT_OUTAGE_GRACE_SECONDS: String(graceSeconds) };
  const test = await testService(stage, settings);
  const dispose = async () => {
    proxy.close();
    await test.dispose();
    await database.dispose();
  };
  return { test, proxy, dispose };
}

/**
 * Runs an outage of the database under load. Known keys list, poll and download as before, `/readyz` reports the outage, and
 * afterwards the history has every attempt exactly once.
 */
export async function expectToSurviveOutage(
  test: TestService,
  outage: { begin(): unknown; end(): unknown },
): Promise<void> {
  const acme = await test.operator.customer("Acme");
  await test.operator.addDatabase("vpn_ip_v1");
  await test.operator.grant("Acme", "vpn_ip");
  await test.operator.publish("vpn_ip_v1");
  await vi.waitUntil(() => test.service.services.register.hasAllKeys, { timeout: 60_000 });
  const readiness = async () => {
    const { status, json } = await call(`${acme.apiUrl}/readyz`);
    return { status, database: json.database.state, isSpoolEmpty: json.spool.files === 0 };
  };
  const responses = new Set<string>();
  const downloads: string[] = [];
  let isOver = false;
  let started = 0;
  const client = async () => {
    while (!isOver) {
      responses.add(`list ${(await acme.list()).status}`);
      responses.add(`metadata ${(await acme.metadata("vpn_ip_v1")).status}`);
      const agent = `download-${++started}`;
      const path = "/api/v2/database/download?id=vpn_ip_v1&format=mmdb";
      responses.add(`download ${(await acme.get(path, { "user-agent": agent })).status}`);
      downloads.push(agent);
    }
  };
  const clients = [client(), client(), client(), client()];
  const more = async (count: number) => {
    const target = downloads.length + count;
    await expect.poll(() => downloads.length).toBeGreaterThan(target);
  };
  await more(20);
  await outage.begin();
  await expect.poll(readiness).toEqual({ status: 200, database: "unreachable", isSpoolEmpty: false });
  await more(20);
  await outage.end();
  await expect.poll(async () => (await readiness()).database).toBe("ok");
  await more(20);
  isOver = true;
  await Promise.all(clients);
  expect([...responses].sort()).toEqual(["download 302", "list 200", "metadata 200"]);
  await expect.poll(readiness).toEqual({ status: 200, database: "ok", isSpoolEmpty: true });
  const stored = await test.service.services.store.attempts.list({ limit: 100_000 });
  expect(stored.map(({ userAgent }) => userAgent).sort()).toEqual(downloads.sort());
}
