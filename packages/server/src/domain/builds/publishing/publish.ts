import { record } from "../../audit/audit.ts";
import { requireVersion } from "../../catalogue/catalogue.ts";
import { announce } from "../../events/events.ts";
import type { Operation } from "../../store.ts";
import type { Build, BuildSummary } from "../build.ts";
import { makeCurrent, requestChanges } from "../current.ts";
import { readDocument } from "../document.ts";
import { publishedEvent } from "../events.ts";
import type { ObjectStore } from "../object-store.ts";
import { type Retention, removeSurplus } from "../retention.ts";
import { buildToWire } from "../wire.ts";
import { requireAtOrigins } from "./origins.ts";
import { requirePublishable, reviewBuild } from "./review.ts";
import { removeObjects, requireStaged } from "./stage.ts";

export interface PublishOptions {
  /** Publish in spite of warnings, or if the current build has the same files. */
  force: boolean;
  /** Default: keep all builds. */
  retention?: Retention;
  /** Called while an origin does not have a file yet. */
  onWaiting?: ((problem: string) => void) | undefined;
  /** Ends the wait for the origins. */
  signal?: AbortSignal | undefined;
}

export interface Published {
  /** The current build. */
  build: Build;
  /** The current build already had the same files: nothing was published, and the staged build is deleted. */
  isUnchanged: boolean;
  /** The build that was current before, if it was replaced. */
  replaced?: Build | undefined;
  /** Builds that were removed. */
  removed: BuildSummary[];
  /** Remarks for the vendor about the files. */
  notes: string[];
}

/** Makes a staged build the current one in one transaction. If it throws BuildRefused, nothing has changed. */
export async function publishBuild(
  operation: Operation,
  objects: ObjectStore,
  buildId: string,
  options: PublishOptions,
): Promise<Published> {
  const { now } = operation;
  // This happens before the transaction, which should be short.
  const complete = await requireStaged(operation.store, buildId);
  const document = await readDocument(complete.metadata);
  const { originWaitSeconds: waitSeconds = 0 } = operation.rules ?? {};
  await requireAtOrigins(objects, complete, { ...options, waitSeconds });
  const { obsolete, ...published } = await operation.store.change(async (tables) => {
    const staged = await requireStaged(tables, buildId);
    const version = await requireVersion(tables, staged.versionId);
    const review = await reviewBuild(tables, version, staged, document);
    const unchanged = requirePublishable(review, version, options.force);
    if (unchanged) {
      await tables.builds.discard(staged.id);
      return { build: unchanged, isUnchanged: true, removed: [], notes: review.notes, obsolete: [staged] };
    }
    const build: Build = { ...staged, state: "published", published: now };
    await tables.builds.setState(build.id, { state: "published", published: now });
    await makeCurrent(tables, operation, version, build);
    const removed = options.retention ? await removeSurplus(tables, build, options.retention, now) : [];
    await record(tables, operation, {
      action: "build.published",
      subject: build.id,
      before: { version_id: version.id, current_build_id: version.currentBuildId },
      after: {
        ...buildToWire(build, build.id),
        forced: options.force,
        overridden: review.warnings,
        removed_build_ids: removed.map(({ id }) => id),
      },
    });
    const changes = await requestChanges(tables, operation, version, build);
    await announce(tables, operation, publishedEvent(version, build, changes));
    return { build, isUnchanged: false, replaced: review.current, removed, notes: review.notes, obsolete: removed };
  });
  // Objects cannot be restored, so they are deleted after the commit. If this fails, `builds sweep` removes them.
  for (const build of obsolete) await removeObjects(objects, build).catch(() => {});
  return published;
}
