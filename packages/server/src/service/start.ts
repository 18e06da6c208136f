import type { Logger } from "pino";
import type { Metrics } from "../adapters/monitoring/metrics.ts";
import type { Clock } from "../platform/primitives/clock.ts";
import type { Settings } from "../settings/settings.ts";

/** Passed to every part. A part adds its own end to `opened`, which closes the parts in reverse order. */
export interface Start {
  settings: Settings;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  opened: AsyncDisposableStack;
  onFailure(message: string, error: unknown): void;
}
