import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnreliableProxy } from "../../../../../../rigs/harness/servers/unreliable-proxy.ts";
import { engines, type OpenedStore } from "../../../../../../rigs/harness/service/engines.ts";
import { openPostgres } from "../../../../src/adapters/sql/postgres/engine.ts";
import { sqlStore } from "../../../../src/adapters/sql/store.ts";
import { History } from "../../../../src/domain/downloads/history.ts";
import { directorySpool } from "../../../../src/domain/downloads/spool.ts";
import type { Store } from "../../../../src/domain/store.ts";
import { Unavailable } from "../../../../src/platform/primitives/faults.ts";
import { Register } from "../../../../src/register/register.ts";
import { watchRegister } from "../../../../src/register/watch.ts";
import { attempt } from "../samples.ts";

const TIMEOUTS = { connectMs: 2000, statementMs: 1000, queryMs: 1500, pollStatementMs: 1000, pollMs: 1500 };
const PATIENT = { ...TIMEOUTS, statementMs: 60_000, queryMs: 60_000 };

describe("PostgreSQL that accepts connections and never responds", () => {
  const postgres = engines.find(({ name }) => name === "postgres");
  let opened: OpenedStore;
  let proxy: UnreliableProxy;
  let store: Store;
  let proxied: URL;

  beforeEach(async () => {
    if (!postgres) throw new Error("PostgreSQL is missing from the engines");
    opened = await postgres.open();
    if (opened.address.engine !== "postgres") throw new Error("not PostgreSQL");
    proxied = new URL(opened.address.url);
    proxy = new UnreliableProxy(new URL(proxied));
    proxied.port = String(await proxy.listen());
    store = sqlStore(openPostgres(proxied.href, TIMEOUTS));
  });
  afterEach(async () => {
    await store.close();
    proxy.close();
    await opened.dispose();
  });

  it("fails new connections", async () => {
    proxy.mode = "hang";
    await expect(store.organizations.list()).rejects.toThrow(Unavailable);
  });

  it("fails queries on open connections, which are replaced when it is back", async () => {
    await Promise.all([store.organizations.list(), store.organizations.list(), store.organizations.list()]);
    proxy.mode = "hang";
    const queries = [store.organizations.list(), store.organizations.list(), store.change(async () => {})];
    for (const query of queries) await expect(query).rejects.toThrow(Unavailable);
    proxy.mode = "forward";
    // Requests sent before are lost, so a reused connection would time out again.
    const more = Array.from({ length: 3 }, () => store.organizations.list());
    expect(await Promise.all(more)).toEqual([[], [], []]);
    await store.change(async () => {});
  });

  it("cancels a statement that takes too long, without giving up its connection", async () => {
    const engine = openPostgres((opened.address as { url: string }).url, { ...TIMEOUTS, queryMs: 60_000 });
    const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(engine.queries)).rows;
    const before = await pid();
    const slow = sql`select pg_sleep(60)`.execute(engine.queries);
    await expect(slow).rejects.toThrow(/statement timeout/);
    expect(await pid()).toEqual(before);
    await engine.close();
  });

  it("lets a migration take longer than a query may", async () => {
    const engine = openPostgres((opened.address as { url: string }).url, {
      ...TIMEOUTS,
      statementMs: 50,
      queryMs: 100,
    });
    await engine.migrationTransaction((transaction) => sql`select pg_sleep(0.5)`.execute(transaction));
    await engine.close();
  });

  it("spools the history, reports it, and stores every attempt once when it is back", async () => {
    const directory = await mkdtemp(join(tmpdir(), "dbdepot-spool-"));
    const failures: string[] = [];
    const onFailure = (message: string) => void failures.push(message);
    const spool = directorySpool(directory, onFailure);
    const history = new History(store.attempts, spool, { onFailure, appendTimeoutMs: 1000, replayDelayMs: 50 });
    const attempts = Array.from({ length: 6 }, () => attempt());
    const record = async (from: number, to: number) => {
      for (const each of attempts.slice(from, to)) await history.record(each);
    };
    await record(0, 2);
    proxy.mode = "hang";
    await record(2, 4);
    expect((await readdir(directory)).length).toBeGreaterThanOrEqual(2);
    expect(failures).toContainEqual(expect.stringMatching(/^database unavailable/));
    proxy.mode = "forward";
    await record(4, 6);
    await expect.poll(() => readdir(directory)).toEqual([]);
    expect(await opened.store.attempts.list({ limit: 10 })).toEqual(attempts.toReversed());
    await history.close();
    await rm(directory, { recursive: true });
  });

  it("fails a query whose connection breaks, without ending the process", async () => {
    await store.organizations.list();
    proxy.mode = "hang";
    const query = store.organizations.list();
    setTimeout(() => proxy.close(), 50);
    await expect(query).rejects.toThrow(Unavailable);
  });

  it("is noticed by the register long before its query times out", async () => {
    const patient = sqlStore(openPostgres(proxied.href, { ...PATIENT, pollStatementMs: 60_000, pollMs: 60_000 }));
    const register = new Register(patient, 300);
    await register.refresh();
    proxy.mode = "hang";
    await expect(register.refresh()).rejects.toThrow("the database did not answer within 300 ms");
    proxy.close();
    await patient.close();
  });

  it("does not keep the register waiting for its lost answer when it is back", async () => {
    const patient = sqlStore(openPostgres(proxied.href, PATIENT));
    const register = new Register(patient, 300);
    await register.refresh();
    proxy.mode = "hang";
    await expect(register.refresh()).rejects.toThrow(Unavailable);
    proxy.mode = "forward";
    await opened.store.change(async () => {});
    const refreshed = () => register.refresh().then(() => register.revision);
    await expect.poll(() => refreshed().catch(() => 0)).toBe(1);
    await patient.close();
  });

  it("counts as an outage for the register: reported once, with a grace period, until it responds again", async () => {
    const register = new Register(store, 300);
    await register.refresh();
    const failures: unknown[] = [];
    const watch = watchRegister(register, 1, (error) => failures.push(error));
    proxy.mode = "hang";
    await expect.poll(() => watch.isOutOfReach()).toBe(true);
    await expect.poll(() => watch.isBeyondGrace()).toBe(true);
    expect(failures).toEqual([expect.any(Unavailable)]);
    proxy.mode = "forward";
    await expect.poll(() => watch.isOutOfReach()).toBe(false);
    await watch.stop();
  });
});
