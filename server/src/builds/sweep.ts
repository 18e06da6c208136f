import { FORMATS, fileName } from "@dbdepot/contract/formats";
import { isUuid } from "../ids.ts";
import type { ObjectStore, StoredObject } from "../objects/store.ts";
import type { Operation, Store } from "../store.ts";
import type { Build } from "./build.ts";
import { strandedPieces } from "./pieces.ts";
import { discardBuild } from "./staging.ts";

const OBJECTS_AT_ONCE = 500;

export interface Swept {
  /** Builds that were begun and never published. */
  stagedBuildIds: string[];
  /** Objects that no build names. */
  objects: StoredObject[];
  /** Uploads that were cut off. */
  partialUploads: number;
}

/**
 * Removes what publications left behind that were cut off. Only what began before
 * `before` goes: what is younger may belong to a publication that is still running.
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

/** What a sweep would remove now, partial uploads left aside. */
export async function lookForLeftovers(store: Store, objects: ObjectStore, before: Date): Promise<Swept> {
  const staged: Build[] = await store.builds.stagedBefore(before);
  const found = await Array.fromAsync(orphans(store, objects, before));
  return { stagedBuildIds: staged.map(({ id }) => id), objects: found, partialUploads: 0 };
}

/**
 * Objects of builds that do not exist or have let go of their files, and pieces that nobody waits for. Whatever else lies
 * in the storage is left alone, and so are versions that this database does not know:
 * somebody may have named the wrong database, or the wrong bucket.
 */
async function* orphans(store: Store, objects: ObjectStore, before: Date): AsyncGenerator<StoredObject> {
  for (const { id } of await store.versions.list()) {
    let group: StoredObject[] = [];
    for await (const object of objects.list(`${id}/`)) {
      if (object.modified < before && buildIdOf(object.key, id)) group.push(object);
      if (group.length < OBJECTS_AT_ONCE) continue;
      yield* unnamed(store, group, id);
      group = [];
    }
    yield* unnamed(store, group, id);
  }
  for (const piece of await strandedPieces(store.builds, objects)) if (piece.modified < before) yield piece;
}

async function* unnamed(store: Store, group: StoredObject[], versionId: string): AsyncGenerator<StoredObject> {
  const states = await store.builds.statesOf(group.map(({ key }) => buildIdOf(key, versionId) ?? ""));
  for (const object of group) {
    const state = states.get(buildIdOf(object.key, versionId) ?? "");
    if (state === undefined || state === "removed") yield object;
  }
}

/** Undefined for an object that no publication can have made. */
function buildIdOf(key: string, versionId: string): string | undefined {
  const [version, buildId = "", name = "", ...rest] = key.split("/");
  const isOurs =
    version === versionId && isUuid(buildId) && FORMATS.some((format) => fileName(versionId, format) === name);
  return isOurs && rest.length === 0 ? buildId : undefined;
}
