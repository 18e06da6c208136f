import { commandsWith } from "@dbdepot/terminal/command";
import type { Voice } from "@dbdepot/terminal/program";
import type { Clock } from "../clock.ts";
import type { ObjectStore } from "../objects/store.ts";
import type { Settings } from "../settings.ts";
import type { Operation, Store } from "../store.ts";

/** What a command works with. The database and the storage are opened when first asked for. */
export interface Workplace extends Voice, AsyncDisposable {
  settings: Settings;
  clock: Clock;
  /** Fails with one clear line when the schema is not up to date. */
  store(): Promise<Store>;
  /** Whatever the state of its schema: for `migrate` and `doctor`. */
  rawStore(): Promise<Store>;
  objects(): Promise<ObjectStore>;
  /** For changes: the store, who is at work, and the time. */
  operation(): Promise<Operation>;
}

/** How a command of the operator is declared. */
export const command = commandsWith<Workplace>();
