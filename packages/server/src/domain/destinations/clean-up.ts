import type { Delivering, DeliveryOptions } from "./deliver.ts";
import type { DeliveredBuild, DeliveredDatabase } from "./destination.ts";
import { latestPath, withdrawnMarkerText } from "./documents.ts";
import type { Wanted } from "./wanted.ts";

/**
 * Removes what a bucket should no longer have: builds that were withdrawn, also after the licence has ended, and those beyond the
 * number to keep. The marker names another build by then. Only objects that were recorded before they were written are removed.
 */
export async function removeOldBuilds(
  options: DeliveryOptions,
  delivering: Pick<Delivering, "destination" | "bucket" | "context">,
  wanted: readonly Wanted[],
): Promise<void> {
  const { store } = options;
  const { destination } = delivering;
  const databases = await store.destinations.databases([destination.id]);
  const kept = new Map<string, number>();
  // The one that was named last comes first.
  for (const build of await store.destinations.builds(destination.id)) {
    const database = databases.find(({ versionId }) => versionId === build.versionId);
    const isNamed = database?.buildId === build.buildId;
    const isWithdrawn = ((await store.builds.byId(build.buildId))?.withdrawn ?? null) !== null;
    if (isNamed && isWithdrawn && isReplaced(wanted, build)) continue;
    if (isNamed && isWithdrawn && database) await nameNoBuild(options, delivering, database);
    const place = (kept.get(build.versionId) ?? 0) + (build.named ? 1 : 0);
    // A build that is not complete is being delivered, or was replaced by another before it was.
    const isUnfinished = build.named === null && !isCurrent(wanted, build);
    if (!isWithdrawn && !isUnfinished && (place <= destination.keep || isNamed)) {
      kept.set(build.versionId, place);
      continue;
    }
    await removeBuild(options, delivering, build);
  }
}

/** Whether the next delivery names another build. */
function isReplaced(wanted: readonly Wanted[], { versionId }: DeliveredBuild): boolean {
  return wanted.some(({ version, refusal }) => version.id === versionId && !refusal);
}

function isCurrent(wanted: readonly Wanted[], { buildId }: DeliveredBuild): boolean {
  return wanted.some(({ build }) => build?.id === buildId);
}

/** The organization may not have the previous build either, so the marker says that there is none. */
async function nameNoBuild(
  { store }: DeliveryOptions,
  { bucket, context }: Pick<Delivering, "bucket" | "context">,
  database: DeliveredDatabase,
): Promise<void> {
  await context.change(async () => {});
  await bucket.write(latestPath(database.versionId), withdrawnMarkerText(database.versionId), "application/json");
  await store.destinations.setDatabase({ ...database, buildId: null, contents: "" });
}

async function removeBuild(
  { store }: DeliveryOptions,
  { destination, bucket, context }: Pick<Delivering, "destination" | "bucket" | "context">,
  { buildId, files }: DeliveredBuild,
): Promise<void> {
  for (const { path } of files) {
    context.signal.throwIfAborted();
    await bucket.remove(path);
  }
  await store.destinations.removeBuild(destination.id, buildId);
}
