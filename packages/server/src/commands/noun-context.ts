import type { Output } from "@dbdepot/terminal/output";
import type * as program from "@dbdepot/terminal/program";
import type { ObjectStore } from "../domain/builds/object-store.ts";
import type { Operation, Store } from "../domain/store.ts";
import type { Clock } from "../platform/primitives/clock.ts";
import type { Settings } from "../settings/settings.ts";

/** What a command works with. The database and the object store are opened on first use. */
export interface CommandContext extends AsyncDisposable {
  settings: Settings;
  clock: Clock;
  output: Output;
  /** Fails with a clear message if the schema is not up to date. */
  store(): Promise<Store>;
  /** Skips the check of the schema: for `migrate` and `doctor`. */
  rawStore(): Promise<Store>;
  objects(): Promise<ObjectStore>;
  /** For changes: the store, the actor and the time. */
  operation(): Promise<Operation>;
}

export type Run = program.Run<CommandContext>;
