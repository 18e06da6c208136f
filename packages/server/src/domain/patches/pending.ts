import type { Format } from "@dbdepot/contract/shared/formats";
import { LRUCache } from "lru-cache";
import type { Clock } from "../../platform/primitives/clock.ts";
import { within } from "../../platform/primitives/within.ts";
import type { Build, BuildSummary } from "../builds/build.ts";
import type { Job } from "../jobs/job.ts";
import type { Store } from "../store.ts";
import { selectBases } from "./bases.ts";
import { planPatches } from "./plan.ts";

/** Every client that waits asks for the same few builds. */
const CACHED_MS = 1000;
const BUILDS_CACHED = 1000;
/** If the database is slow, clients had better download the whole file than wait. */
const TIMEOUT_MS = 2000;

interface PendingOptions {
  store: Pick<Store, "jobs" | "builds" | "patches" | "attempts">;
  clock: Clock;
  /** The same number as for the job that makes the patches; 0 if this server makes none. */
  bases: number;
  /** How long after the change of the current build clients may wait. 0: not at all. */
  waitSeconds: number;
}

interface Pending {
  names: ReadonlySet<string>;
  until: Date;
}

/**
 * Knows which patches to a current build will be offered soon, so that clients that react to a new build at once can wait for
 * them. Everything is derived from the job and the recorded patches: a crash leaves nothing behind that clients wait for.
 */
export class PendingPatches {
  readonly #options: PendingOptions;
  readonly #cache: LRUCache<string, Pending, Build>;
  /** What a job will use does not change, and takes a while to find. */
  readonly #bases: LRUCache<string, BuildSummary[], [Job, Build]>;

  constructor(options: PendingOptions) {
    this.#options = options;
    this.#cache = new LRUCache<string, Pending, Build>({
      max: BUILDS_CACHED,
      ttl: CACHED_MS,
      fetchMethod: (_id, _stale, { context }) => within(TIMEOUT_MS, this.#load(context)),
    });
    this.#bases = new LRUCache<string, BuildSummary[], [Job, Build]>({
      max: BUILDS_CACHED,
      fetchMethod: (_id, _stale, { context: [job, build] }) =>
        selectBases(options.store, build, { count: options.bases, selection: "downloaded", now: job.created }),
    });
  }

  /** Whether a patch from the file with this digest to the file of the build, which is current, is about to be offered. */
  async has(build: Build, format: Format, baseSha256: string): Promise<boolean> {
    const { bases, waitSeconds, clock } = this.#options;
    if (bases === 0 || waitSeconds === 0) return false;
    const pending = await this.#cache.fetch(build.id, { context: build }).catch(() => undefined);
    return pending !== undefined && clock() < pending.until && pending.names.has(`${format} ${baseSha256}`);
  }

  async #load(build: Build): Promise<Pending> {
    const { store, waitSeconds } = this.#options;
    // The patches are read after the job: a job that ends in between has recorded them.
    const job = await store.jobs.find("make_patches", build.versionId);
    const existing = await store.patches.ofBuilds([build.id]);
    const isMaking = job !== undefined && job.failed === null && job.data.buildId === build.id;
    const bases = isMaking ? await this.#bases.fetch(job.id, { context: [job, build] }) : undefined;
    const planned = planPatches(build, bases ?? [], existing);
    const names = [
      ...planned.flatMap(({ format, base, reason }) =>
        base && reason === undefined ? [`${format} ${base.file.checksums.sha256}`] : [],
      ),
      // The register of this process learns of them in a moment.
      ...existing.flatMap(({ format, baseSha256, file }) => (file ? [`${format} ${baseSha256}`] : [])),
    ];
    const started = isMaking ? job.created : (existing.at(-1)?.created ?? build.created);
    return { names: new Set(names), until: new Date(started.getTime() + waitSeconds * 1000) };
  }
}
