import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type OwnPostgresServer,
  startOwnPostgres,
  startStandby,
} from "../../../../rigs/harness/servers/postgres-server.ts";
import { UnreliableProxy } from "../../../../rigs/harness/servers/unreliable-proxy.ts";
import { type Stage, stages } from "../../../../rigs/harness/service/stages.ts";
import { runOn } from "../../../../rigs/harness/service/templates.ts";
import { type TestService, testService } from "../../../../rigs/harness/service/test-service.ts";
import { revokeKey } from "../../src/domain/keys/keys.ts";
import { expectToSurviveOutage } from "./outage-under-load.ts";

const [, stage] = stages() as [Stage, Stage];

describe("When Postgres fails over to a standby", () => {
  let primary: OwnPostgresServer;
  let standby: OwnPostgresServer;
  let proxy: UnreliableProxy;
  let test: TestService;

  beforeEach(async () => {
    // A commit waits for the standby, so that a failover loses none.
    primary = await startOwnPostgres(["synchronous_standby_names=*"]);
    standby = await startStandby(primary);
    await vi.waitUntil(() => isReplicated(primary), { timeout: 60_000 });
    const url = new URL(primary.url);
    proxy = new UnreliableProxy(new URL(url));
    url.port = String(await proxy.listen());
    test = await testService(stage, { DBDEPOT_DATABASE_URL: url.href });
  });
  afterEach(async () => {
    await test.dispose();
    proxy.close();
    await standby.stop();
    await primary.stop();
  });

  const promote = () => runOn(standby.url, "select pg_promote()");

  it("known keys list, poll and download under load, every attempt is stored once, and changes work afterwards", async () => {
    await expectToSurviveOutage(test, {
      begin: () => primary.crash(),
      end: async () => {
        await promote();
        proxy.switchTo(new URL(standby.url));
      },
    });
    await expectChangesToWork();
  });

  it("treats the standby as unreachable until it is promoted", async () => {
    await expectToSurviveOutage(test, {
      begin: async () => {
        await primary.crash();
        proxy.switchTo(new URL(standby.url));
        await vi.waitUntil(() => test.logs().includes("the server is read-only"), { timeout: 60_000 });
      },
      end: promote,
    });
    await expectChangesToWork();
  });

  async function expectChangesToWork(): Promise<void> {
    const { operator } = test;
    const globex = await operator.customer("Globex");
    expect((await globex.download("vpn_ip_v1", "mmdb")).status).toBe(403);
    await operator.grant("Globex", "vpn_ip");
    expect((await globex.download("vpn_ip_v1", "mmdb")).status).toBe(302);
    await revokeKey(operator.operation(), globex.keyId);
    await expect.poll(async () => (await globex.list()).status).toBe(401);
  }
});

async function isReplicated({ url }: OwnPostgresServer): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rowCount } = await client.query("select from pg_stat_replication where sync_state = 'sync'");
  await client.end();
  return rowCount === 1;
}
