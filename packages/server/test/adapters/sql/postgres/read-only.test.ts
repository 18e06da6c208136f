import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engineNamed, type OpenedStore } from "../../../../../../rigs/harness/service/engines.ts";
import type { Engine } from "../../../../src/adapters/sql/connection.ts";
import { openPostgres } from "../../../../src/adapters/sql/postgres/engine.ts";
import { sqlStore } from "../../../../src/adapters/sql/store.ts";
import type { Store } from "../../../../src/domain/store.ts";
import { Unavailable } from "../../../../src/platform/primitives/faults.ts";
import { attempt } from "../samples.ts";

describe("PostgreSQL that is read-only", () => {
  let opened: OpenedStore;
  let engine: Engine;
  let store: Store;

  beforeEach(async () => {
    opened = await engineNamed("postgres").open();
    if (opened.address.engine !== "postgres") throw new Error("not PostgreSQL");
    engine = openPostgres(opened.address.url);
    store = sqlStore(engine);
  });
  afterEach(async () => {
    await store.close();
    await opened.dispose();
  });

  const setReadOnly = (value: "on" | "off") =>
    opened.query(`begin read write;
      do $$ begin execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$;
      commit`);

  it("is unavailable for new connections, reads included, until it accepts writes", async () => {
    await setReadOnly("on");
    await expect(store.organizations.list()).rejects.toThrow(Unavailable);
    await expect(store.revision()).rejects.toThrow("the server is read-only: connect to the primary");
    await setReadOnly("off");
    expect(await store.organizations.list()).toEqual([]);
    expect(await store.revision()).toBe(0);
  });

  it("is unavailable for writes on an open connection, which is then replaced", async () => {
    const becomeReadOnly = () => sql`set default_transaction_read_only = on`.execute(engine.queries);
    await becomeReadOnly();
    await expect(store.change(async () => {})).rejects.toThrow(Unavailable);
    await store.change(async () => {});
    await becomeReadOnly();
    await expect(store.attempts.append([attempt()])).rejects.toThrow(Unavailable);
    await store.attempts.append([attempt()]);
    expect(await store.attempts.list({ limit: 10 })).toHaveLength(1);
  });
});
