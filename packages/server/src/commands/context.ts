/** Opens the database and the object store for commands, without the HTTP server. */
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Output } from "@dbdepot/terminal/output";
import type * as program from "@dbdepot/terminal/program";
import { openObjects } from "../adapters/objects/open.ts";
import { openStore } from "../adapters/sql/open.ts";
import type { ObjectStore } from "../domain/builds/object-store.ts";
import type { Spool } from "../domain/downloads/history.ts";
import { directorySpool } from "../domain/downloads/spool.ts";
import type { Operation, Store } from "../domain/store.ts";
import { type Clock, systemClock } from "../platform/primitives/clock.ts";
import { conflict } from "../platform/primitives/faults.ts";
import { prepareDirectories } from "../settings/requirements.ts";
import { rulesOf } from "../settings/rules.ts";
import type { Settings } from "../settings/settings.ts";

/** Everything that a command works with. The database and the object store are opened on first use. */
export interface CommandContext extends AsyncDisposable {
  settings: Settings;
  clock: Clock;
  output: Output;
  /** Fails with a clear message if the schema is not up to date. */
  store(): Promise<Store>;
  /** Skips the check of the schema: for `migrate` and `doctor`. */
  rawStore(): Promise<Store>;
  objects(): Promise<ObjectStore>;
  /** The download attempts that this server has not stored yet. */
  spool: Spool;
  /** Returns the store, actor, time and rules for one change. */
  operation(): Promise<Operation>;
}

export type Run = program.Run<CommandContext>;

export function openContext(settings: Settings, output: Output, clock: Clock = systemClock): CommandContext {
  let raw: Promise<Store> | undefined;
  let checked: Promise<Store> | undefined;
  let objects: Promise<ObjectStore> | undefined;
  const rawStore = () => {
    raw ??= prepareDirectories(settings).then(() => openStore(settings.database));
    return raw;
  };
  const store = () => {
    checked ??= rawStore().then(requireSchema);
    return checked;
  };
  return {
    settings,
    clock,
    output,
    rawStore,
    store,
    objects: () => {
      objects ??= prepareDirectories(settings).then(() => openObjects(settings));
      return objects;
    },
    spool: directorySpool(join(settings.dataDir, "spool"), (message) => output.warn(message)),
    operation: async () => ({
      store: await store(),
      actor: `command:${userName()}`,
      now: clock(),
      rules: rulesOf(settings),
    }),
    [Symbol.asyncDispose]: async () => {
      // If it could not be opened, the command has reported that already.
      const store = await raw?.catch(() => undefined);
      await store?.close();
    },
  };
}

/** Returns the name of the user, or its id if it has no name, as in many containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.()}`;
  }
}

/** Creates the schema in an empty database. Does not upgrade an old schema: `migrate` does. */
async function requireSchema(store: Store): Promise<Store> {
  const pending = await store.pendingMigrations();
  if (pending.length === 0) return store;
  if (!(await store.isNew())) {
    throw conflict(`the database schema is out of date (missing: ${pending.join(", ")}). Run "dbdepot-server migrate"`);
  }
  await store.migrate();
  return store;
}
