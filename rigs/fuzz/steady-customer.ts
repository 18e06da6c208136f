import { setTimeout as delay } from "node:timers/promises";
import { send } from "../harness/http.ts";
import { type Latencies, latenciesOf } from "../harness/latencies.ts";
import { STEADY } from "./callers.ts";

const INTERVAL_MS = 50;

/** A customer that polls for new builds and downloads them, while others misbehave. */
export class SteadyCustomer {
  readonly failures: string[] = [];
  readonly #origin: string;
  readonly #headers: Record<string, string>;

  constructor(origin: string, key: string) {
    this.#origin = origin;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  async poll(stop: AbortSignal): Promise<Latencies> {
    const paths = [
      `/api/v2/database/metadata?id=${STEADY.version}`,
      `/api/v2/database/download?id=${STEADY.version}&format=mmdb&delivery=stream`,
    ];
    const durations: number[] = [];
    for (let i = 0; !stop.aborted; i += 1) {
      const path = paths[i % paths.length] ?? "";
      const began = performance.now();
      const response = await send(this.#origin, { path, headers: this.#headers }).catch((error: Error) => error);
      durations.push(performance.now() - began);
      if (response instanceof Error) this.failures.push(`${path}: ${response.message}`);
      else if (response.status !== 200) this.failures.push(`${path}: ${response.status} ${response.body}`);
      await delay(INTERVAL_MS, undefined, { signal: stop }).catch(() => {});
    }
    return latenciesOf(durations);
  }
}
