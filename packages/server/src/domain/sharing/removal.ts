import type { Clock } from "../../platform/primitives/clock.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Store } from "../store.ts";

/** Other processes may have read the list of files just before, and clocks differ. */
const MARGIN_SECONDS = 60;

interface RemovalOptions {
  store: Store;
  objects: ObjectStore;
  clock: Clock;
  /** How long links to the files work. */
  linkTtlSeconds: number;
}

/** Removes Parquet files that are no longer offered, once all links to them have expired. */
export function tableRemovalJob(options: RemovalOptions): JobHandler<"remove_tables"> {
  const { store, objects, clock, linkTtlSeconds } = options;
  return {
    async run() {
      const now = clock();
      const before = new Date(now.getTime() - (linkTtlSeconds + MARGIN_SECONDS) * 1000);
      const isIdle =
        (await store.sharing.unneeded()).length === 0 && (await store.sharing.obsoleteBefore(before)).length === 0;
      if (isIdle) return;
      const removed = await store.change(async ({ sharing }) => {
        const unneeded = await sharing.unneeded();
        await sharing.setObsolete(
          unneeded.map(({ id }) => id),
          now,
        );
        const files = await sharing.obsoleteBefore(before);
        await sharing.remove(files.map(({ id }) => id));
        return files;
      });
      // If this fails, `builds sweep` removes them.
      for (const { objectKey } of removed) await objects.remove(objectKey).catch(() => {});
    },
  };
}
