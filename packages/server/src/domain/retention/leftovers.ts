import { FILE_KINDS, fileName } from "@dbdepot/contract/shared/formats";
import { isUuid } from "../../platform/primitives/ids.ts";
import type { Build } from "../builds/build.ts";
import type { ObjectStore, StoredObject } from "../builds/object-store.ts";
import { discardBuild } from "../builds/publishing/stage.ts";
import { orphanedParts } from "../builds/upload-parts.ts";
import { patchIdOf } from "../patches/patch.ts";
import { sharedIdOf } from "../sharing/shared-table.ts";
import type { Operation, Store } from "../store.ts";

const BATCH_OBJECTS = 500;

export interface Swept {
  /** Builds that were never published. */
  stagedBuildIds: string[];
  /** Objects that belong neither to a build nor to a recorded patch or Parquet file. */
  objects: StoredObject[];
  /** Interrupted uploads inside the object store. */
  partialUploads: number;
}

/**
 * Deletes leftovers of interrupted publishes. Keeps everything younger than `before`, because it may belong to a
 * publish that is still running.
 */
export async function sweep(operation: Operation, objects: ObjectStore, before: Date): Promise<Swept> {
  const staged = await operation.store.builds.stagedBefore(before);
  for (const build of staged) await discardBuild(operation, objects, build);
  const swept: StoredObject[] = [];
  for await (const object of orphans(operation.store, objects, before)) {
    await objects.remove(object.key);
    swept.push(object);
  }
  const partialUploads = await objects.sweepPartial(before);
  return { stagedBuildIds: staged.map(({ id }) => id), objects: swept, partialUploads };
}

/** Lists what a sweep would delete, except partial uploads. */
export async function findLeftovers(store: Store, objects: ObjectStore, before: Date): Promise<Swept> {
  const staged: Build[] = await store.builds.stagedBefore(before);
  const found = await Array.fromAsync(orphans(store, objects, before));
  return { stagedBuildIds: staged.map(({ id }) => id), objects: found, partialUploads: 0 };
}

/**
 * Objects of builds that do not exist or were removed, patches and Parquet files that are not recorded, and parts of uploads that are over. Ignores everything else in
 * storage, including versions that are unknown here, in case the wrong database or bucket is configured.
 */
async function* orphans(store: Store, objects: ObjectStore, before: Date): AsyncGenerator<StoredObject> {
  for (const { id } of await store.versions.list()) {
    let batch: StoredObject[] = [];
    for await (const object of objects.list(`${id}/`)) {
      const isOurs = buildIdOf(object.key, id) ?? patchIdOf(object.key, id) ?? sharedIdOf(object.key, id);
      if (object.modified < before && isOurs !== undefined) batch.push(object);
      if (batch.length < BATCH_OBJECTS) continue;
      yield* withoutBuild(store, batch, id);
      batch = [];
    }
    yield* withoutBuild(store, batch, id);
  }
  for (const part of await orphanedParts(store.builds, objects)) if (part.modified < before) yield part;
}

async function* withoutBuild(store: Store, batch: StoredObject[], versionId: string): AsyncGenerator<StoredObject> {
  const states = await store.builds.statesOf(batch.flatMap(({ key }) => buildIdOf(key, versionId) ?? []));
  const patches = await store.patches.existing(batch.flatMap(({ key }) => patchIdOf(key, versionId) ?? []));
  const shared = await store.sharing.existing(batch.flatMap(({ key }) => sharedIdOf(key, versionId) ?? []));
  for (const object of batch) {
    const sharedId = sharedIdOf(object.key, versionId);
    const patchId = patchIdOf(object.key, versionId);
    const state = states.get(buildIdOf(object.key, versionId) ?? "");
    const isFile = patchId === undefined && sharedId === undefined;
    const isRecorded = patches.has(patchId ?? "") || shared.has(sharedId ?? "");
    const isNeeded = isFile ? state !== undefined && state !== "removed" : isRecorded;
    if (!isNeeded) yield object;
  }
}

/** Undefined if the object was not stored by a publish. */
function buildIdOf(key: string, versionId: string): string | undefined {
  const [version, buildId = "", name = "", ...rest] = key.split("/");
  const isOurs =
    version === versionId && isUuid(buildId) && FILE_KINDS.some((kind) => fileName(versionId, kind) === name);
  return isOurs && rest.length === 0 ? buildId : undefined;
}
