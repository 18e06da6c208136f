import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { History } from "../../../src/downloads/history.ts";
import { directorySpool } from "../../../src/downloads/spool.ts";
import { Unavailable } from "../../../src/faults.ts";
import { openPostgres } from "../../../src/sql/postgres/engine.ts";
import { sqlStore } from "../../../src/sql/store.ts";
import type { Store } from "../../../src/store.ts";
import { engines, type OpenedStore } from "../../engines.ts";
import { attempt } from "../samples.ts";

const TIMEOUTS = { connectMs: 2000, statementMs: 1000, queryMs: 1500 };
const SOON = { timeout: 20_000 };

/** Forwards connections to PostgreSQL until it hangs: then it accepts them and answers nothing. */
class HangingProxy {
  isHanging = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: URL) {
    this.#server = createServer((client) => {
      this.#sockets.add(client);
      client.on("error", () => {});
      if (this.isHanging) return void client.resume();
      const upstream = connect(Number(target.port), target.hostname);
      this.#sockets.add(upstream);
      upstream.on("error", () => {});
      client.on("data", (data) => this.isHanging || upstream.write(data));
      upstream.on("data", (data) => this.isHanging || client.write(data));
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe("PostgreSQL that accepts connections and never answers", () => {
  const postgres = engines.find(({ name }) => name === "postgres");
  let opened: OpenedStore;
  let proxy: HangingProxy;
  let store: Store;

  beforeEach(async () => {
    if (!postgres) throw new Error("PostgreSQL is missing from the engines");
    opened = await postgres.open();
    if (opened.address.engine !== "postgres") throw new Error("not PostgreSQL");
    const url = new URL(opened.address.url);
    proxy = new HangingProxy(new URL(url));
    url.port = String(await proxy.listen());
    store = sqlStore(openPostgres(url.href, TIMEOUTS));
  });
  afterEach(async () => {
    await store.close();
    proxy.close();
    await opened.dispose();
  });

  it("fails new connections", async () => {
    proxy.isHanging = true;
    await expect(store.organizations.list()).rejects.toThrow(Unavailable);
  });

  it("fails queries on open connections, and replaces these when it is back", async () => {
    await Promise.all([store.organizations.list(), store.organizations.list(), store.organizations.list()]);
    proxy.isHanging = true;
    const queries = [store.organizations.list(), store.organizations.list(), store.change(async () => {})];
    for (const query of queries) await expect(query).rejects.toThrow(Unavailable);
    proxy.isHanging = false;
    // What was sent before is lost for good, so a reused connection would time out again.
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
    proxy.isHanging = true;
    await record(2, 4);
    expect((await readdir(directory)).length).toBeGreaterThanOrEqual(2);
    expect(failures).toContainEqual(expect.stringMatching(/^database unavailable/));
    proxy.isHanging = false;
    await record(4, 6);
    await expect.poll(() => readdir(directory), SOON).toEqual([]);
    expect(await opened.store.attempts.list({ limit: 10 })).toEqual(attempts.toReversed());
    await history.close();
    await rm(directory, { recursive: true });
  });
});
