import { join } from "node:path";
import type { Logger } from "pino";
import { ReadinessCheck } from "../adapters/monitoring/readiness.ts";
import { addStateMetrics } from "../adapters/monitoring/state-metrics.ts";
import { openStore } from "../adapters/sql/open.ts";
import type { ObjectStore } from "../domain/builds/object-store.ts";
import { History, type Spool } from "../domain/downloads/history.ts";
import { directorySpool } from "../domain/downloads/spool.ts";
import { EventFeed } from "../domain/events/feed.ts";
import { LimitCounters } from "../domain/limits/counters.ts";
import type { Store } from "../domain/store.ts";
import { DelayedWrites } from "../platform/primitives/delayed-writes.ts";
import { conflict } from "../platform/primitives/faults.ts";
import { Register } from "../register/register.ts";
import { type Watch, watchRegister } from "../register/watch.ts";
import { directoriesOf, prepareDirectories } from "../settings/requirements.ts";
import type { Settings } from "../settings/settings.ts";
import type { Start } from "./start.ts";

export async function openDatabase({ settings, log, opened }: Start): Promise<Store> {
  await prepareDirectories(settings);
  const store = await openStore(settings.database);
  opened.defer(() => store.close());
  await prepareSchema(store, settings, log);
  return store;
}

/** Brings the schema up to date, or fails if `serve` may not change it. */
export async function prepareSchema(store: Store, settings: Settings, log: Logger): Promise<void> {
  if (settings.migrateOnStart) {
    for (const name of await store.migrate()) log.info({ migration: name }, "applied a migration");
  } else {
    const pending = await store.pendingMigrations();
    if (pending.length > 0) {
      throw conflict(
        `the database schema is out of date (missing: ${pending.join(", ")}) and DBDEPOT_MIGRATE is "never". Run "dbdepot-server migrate"`,
      );
    }
  }
  const newer = await store.newerMigrations();
  if (newer.length > 0)
    log.warn({ migrations: newer }, "a newer version has migrated the database; this one can still run on it");
}

export async function openRegister({ settings, opened, onFailure }: Start, store: Store) {
  const register = new Register(store);
  await register.refresh();
  const database = watchRegister(register, settings.outageGraceSeconds, (error) =>
    onFailure("the database is unreachable", error),
  );
  opened.defer(() => database.stop());
  return { register, database };
}

export async function openHistory({ settings, metrics, opened, onFailure }: Start, store: Store) {
  const spool = directorySpool(join(settings.dataDir, "spool"), onFailure);
  const history = new History(store.attempts, spool, {
    onFailure,
    onCommit(attempts, seconds) {
      metrics.commitAttempts.observe(attempts);
      metrics.commitSeconds.observe(seconds);
    },
  });
  await history.start();
  opened.defer(() => history.close());
  return { history, spool };
}

/** Counts what organizations with limits use. */
export function openLimits({ clock, opened, onFailure }: Start, store: Store, register: Register): LimitCounters {
  const limits = new LimitCounters({
    store,
    limitsOf: (organizationId) => register.limits(organizationId),
    clock,
    onFailure: (error) => onFailure("what organizations have used of their limits could not be read", error),
  });
  opened.defer(() => limits.stop());
  return limits;
}

export function openDelayedWrites<Value>(
  { opened }: Start,
  ...args: ConstructorParameters<typeof DelayedWrites<Value>>
): DelayedWrites<Value> {
  const writes = new DelayedWrites<Value>(...args);
  opened.defer(() => writes.close());
  return writes;
}

export async function openFeed({ opened, onFailure }: Start, store: Store, register: Register): Promise<EventFeed> {
  const feed = new EventFeed(store.events, register, (error) => onFailure("events could not be read; retrying", error));
  await feed.start();
  opened.defer(() => feed.stop());
  return feed;
}

interface Watched {
  store: Store;
  objects: ObjectStore;
  register: Register;
  database: Watch;
  spool: Spool;
  history: History;
}

export function openReadiness({ settings, metrics, clock }: Start, watched: Watched) {
  const { store, register, database, spool } = watched;
  const readiness = new ReadinessCheck(watched);
  addStateMetrics(metrics, {
    register,
    database,
    spool,
    readiness,
    directories: directoriesOf(settings),
    webhooks: store.webhooks,
    destinations: store.destinations,
    requests: store.requests,
    mail: store.mail,
    jobs: store.jobs,
    copies: store.copies,
    usage: store.usage,
    audit: store.audit,
    clock,
  });
  return readiness;
}
