import type { Clock } from "../../platform/primitives/clock.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Store } from "../store.ts";

/** Replicas may offer superseded patches for another second, and clocks differ. */
const MARGIN_SECONDS = 60;

interface RemovalOptions {
  store: Store;
  objects: ObjectStore;
  clock: Clock;
  /** How long links to superseded patches work. */
  linkTtlSeconds: number;
}

/** Removes patches to builds that are no longer current, once all links to them have expired. */
export function removalJob({ store, objects, clock, linkTtlSeconds }: RemovalOptions): JobHandler<"remove_patches"> {
  return {
    async run() {
      const before = new Date(clock().getTime() - (linkTtlSeconds + MARGIN_SECONDS) * 1000);
      if ((await store.patches.supersededBefore(before)).length === 0) return;
      const removed = await store.change(async (tables) => {
        // A rollback may have made a build current again.
        const patches = await tables.patches.supersededBefore(before);
        await tables.patches.remove(patches.map(({ id }) => id));
        return patches;
      });
      // If this fails, `builds sweep` removes them.
      for (const { file } of removed) if (file) await objects.remove(file.objectKey).catch(() => {});
    },
  };
}
