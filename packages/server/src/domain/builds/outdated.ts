import { record } from "../audit/audit.ts";
import type { BuildLimits } from "../retention/policy.ts";
import type { Operation, Tables } from "../store.ts";
import type { BuildSummary } from "./build.ts";
import type { ObjectStore } from "./object-store.ts";
import { removeObjects } from "./publishing/stage.ts";
import { outdatedBuilds } from "./retention.ts";

/** The builds of all versions that the settings no longer keep. */
export async function outdated(
  tables: Pick<Tables, "versions" | "builds" | "patches">,
  limits: BuildLimits,
  now: Date,
): Promise<BuildSummary[]> {
  const found: BuildSummary[] = [];
  for (const version of await tables.versions.list()) {
    found.push(...(await outdatedBuilds(tables, version, limits, now)));
  }
  return found;
}

/** Removes those builds, a version at a time, and returns how many. */
export async function removeOutdated(operation: Operation, objects: ObjectStore, limits: BuildLimits): Promise<number> {
  const { store, now } = operation;
  // Usually there is nothing to do, and a change would make every register refresh.
  const versionIds = new Set((await outdated(store, limits, now)).map(({ versionId }) => versionId));
  let total = 0;
  for (const versionId of versionIds) {
    const removed = await store.change(async (tables) => {
      // Checked again, because another server may have removed them or made one of them current.
      const version = await tables.versions.byId(versionId);
      const builds = version ? await outdatedBuilds(tables, version, limits, now) : [];
      for (const { id, state, published } of builds) {
        await tables.builds.setState(id, { state: "removed" });
        await record(tables, operation, {
          action: "build.removed",
          subject: id,
          before: { version_id: versionId, state, published },
          after: { version_id: versionId, state: "removed" },
        });
      }
      return builds;
    });
    // Objects cannot be restored, so they are deleted after the commit. If this fails, `builds sweep` removes them.
    for (const build of removed) await removeObjects(objects, build).catch(() => {});
    total += removed.length;
  }
  return total;
}
