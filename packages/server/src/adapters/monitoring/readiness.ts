import type { Readiness } from "@dbdepot/contract/shared/health";
import type { ObjectStore } from "../../domain/builds/object-store.ts";
import type { Watch } from "../../register/watch.ts";

/** The endpoint is public, so the storage is checked at most this often. */
const STORAGE_CHECK_INTERVAL_MS = 5000;
const STORAGE_TIMEOUT_MS = 2000;
/** The object need not exist: any response proves that the storage works. */
const PROBE_KEY = "readiness-probe";

export interface ReadinessSource {
  objects: Pick<ObjectStore, "stat">;
  database: Pick<Watch, "isOutOfReach" | "isBeyondGrace" | "ageSeconds">;
  spool: { depth(): Promise<number> };
}

/** Knows whether this server can serve requests, and the state of everything it depends on. */
export class ReadinessCheck {
  readonly #source: ReadinessSource;
  #storage: Promise<boolean> = Promise.resolve(true);
  #storageCheckedMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  constructor(source: ReadinessSource) {
    this.#source = source;
  }

  /** Tells load balancers to send no more requests. */
  stop(): void {
    this.#isStopping = true;
  }

  async check(): Promise<Readiness> {
    const { database, spool } = this.#source;
    const isStorageReachable = await this.isStorageReachable();
    return {
      // If storage is down, the server still lists, polls and issues links, and no other server could do more.
      status: this.#isStopping || database.isBeyondGrace() ? "not_ready" : "ready",
      database: { state: database.isOutOfReach() ? "unreachable" : "ok" },
      storage: { state: isStorageReachable ? "ok" : "unreachable" },
      register: { age_seconds: database.ageSeconds() },
      spool: { files: await spool.depth() },
    };
  }

  isStorageReachable(): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#storageCheckedMs >= STORAGE_CHECK_INTERVAL_MS) {
      this.#storageCheckedMs = nowMs;
      this.#storage = respondsInTime(this.#source.objects.stat(PROBE_KEY));
    }
    return this.#storage;
  }
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
