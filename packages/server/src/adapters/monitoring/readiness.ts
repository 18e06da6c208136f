import type { Readiness } from "@dbdepot/contract/shared/health";
import type { ObjectStore } from "../../domain/builds/object-store.ts";
import type { History } from "../../domain/downloads/history.ts";
import type { Watch } from "../../register/watch.ts";

/** The endpoint is public, so the storage and the history are checked at most this often. */
const CHECK_INTERVAL_MS = 5000;
const STORAGE_TIMEOUT_MS = 2000;
/** The object need not exist: any response proves that the storage works. */
const PROBE_KEY = "readiness-probe";

export interface ReadinessSource {
  objects: Pick<ObjectStore, "stat">;
  database: Pick<Watch, "isOutOfReach" | "isBeyondGrace" | "ageSeconds">;
  spool: { depth(): Promise<number> };
  history: Pick<History, "canRecord">;
}

/** Knows whether this server can serve requests, and the state of everything it depends on. */
export class ReadinessCheck {
  readonly #source: ReadinessSource;
  #isStopping = false;
  readonly isStorageReachable: () => Promise<boolean>;
  /** Whether an attempt can be stored. Without that, every download is refused. */
  readonly isHistoryWritable: () => Promise<boolean>;

  constructor(source: ReadinessSource) {
    this.#source = source;
    this.isStorageReachable = atIntervals(() => respondsInTime(source.objects.stat(PROBE_KEY)));
    this.isHistoryWritable = atIntervals(() => source.history.canRecord());
  }

  /** Tells load balancers to send no more requests. */
  stop(): void {
    this.#isStopping = true;
  }

  async check(): Promise<Readiness> {
    const { database, spool } = this.#source;
    const [isStorageReachable, isHistoryWritable] = await Promise.all([
      this.isStorageReachable(),
      this.isHistoryWritable(),
    ]);
    return {
      // If storage is down, the server still lists, polls and issues links, and no other server could do more.
      status: this.#isStopping || database.isBeyondGrace() || !isHistoryWritable ? "not_ready" : "ready",
      database: { state: database.isOutOfReach() ? "unreachable" : "ok" },
      storage: { state: isStorageReachable ? "ok" : "unreachable" },
      history: { state: isHistoryWritable ? "ok" : "unwritable" },
      register: { age_seconds: database.ageSeconds() },
      spool: { files: await spool.depth() },
    };
  }
}

/** Repeats the check after the interval, and returns its last result until then. */
function atIntervals(check: () => Promise<boolean>): () => Promise<boolean> {
  let result: Promise<boolean>;
  let checkedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - checkedMs >= CHECK_INTERVAL_MS) {
      checkedMs = nowMs;
      result = check();
    }
    return result;
  };
}

async function respondsInTime(response: Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), STORAGE_TIMEOUT_MS);
  const responded = response.then(
    () => true,
    () => false,
  );
  return Promise.race([responded, timeout.promise]).finally(() => clearTimeout(timer));
}
