import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../platform/primitives/clock.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { ThreadLimits } from "../../platform/runtime/limited-thread.ts";
import type { Build } from "../builds/build.ts";
import { emptyDirectory, type Folder, openFolder } from "../builds/local-copies.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import { ClaimEnded, type JobContext, type JobHandler } from "../jobs/runner.ts";
import type { JobData } from "../jobs/types.ts";
import type { Store } from "../store.ts";
import { type BaseSelection, selectBases } from "./bases.ts";
import type { FromPatchWorker, MakePatch } from "./make-patch.ts";
import { EMPTY_SHA256, type Patch, patchIdOf, patchKeyOf } from "./patch.ts";
import { type PlannedPatch, planPatches } from "./plan.ts";

/** This is in the data directory, because the files may be too large for memory. */
export const PATCH_DIRECTORY = "patches";

/** Real files take seconds: only a file made to exhaust the server exceeds these. */
export const PATCH_LIMITS = { timeoutMs: 15 * 60_000, memoryMb: 2048 };

export interface PatchJobOptions {
  store: Store;
  objects: ObjectStore;
  clock: Clock;
  /** How many earlier builds get a patch to the current one, at most. */
  bases: number;
  selection: BaseSelection;
  /** The directory for local copies of the files. Only this process and its predecessors write to it. */
  directory: string;
  limits: ThreadLimits;
  makePatch: MakePatch;
  onPatch(patch: Patch): void;
}

/**
 * Makes all missing patches to the build of the job, one at a time. Each one is recorded as soon as it is stored, so a
 * job that was killed continues where it stopped.
 */
export function patchJob(options: PatchJobOptions): JobHandler<"make_patches"> {
  return { run: (data, context) => makePatches(options, data, context) };
}

async function makePatches(
  options: PatchJobOptions,
  { buildId }: JobData<"make_patches">,
  { signal, change }: JobContext,
): Promise<void> {
  const { store, objects, clock, bases: count, selection } = options;
  const build = await store.builds.byId(buildId);
  if (!build) return;
  await removeLeftovers(options, build);
  const existing = await store.patches.ofBuilds([build.id]);
  const bases = await selectBases(store, build, { count, selection, now: clock() });
  const planned = planPatches(build, bases, existing);
  await using folder = await openFolder(options.directory);
  for (const plan of planned) {
    signal.throwIfAborted();
    const patch = await makeOne(options, { build, plan, folder, signal });
    try {
      await change((tables) => tables.patches.insert(patch));
    } catch (error) {
      if (error instanceof ClaimEnded && patch.file) await objects.remove(patch.file.objectKey);
      throw error;
    }
    options.onPatch(patch);
  }
}

interface Making {
  build: Build;
  plan: PlannedPatch;
  folder: Folder;
  signal: AbortSignal;
}

async function makeOne(options: PatchJobOptions, { build, plan, folder, signal }: Making): Promise<Patch> {
  const { objects, clock, limits, makePatch } = options;
  const startedMs = performance.now();
  const patch = newPatch(build, plan, clock());
  if (plan.reason !== undefined) return { ...patch, reason: plan.reason };
  const patchPath = join(folder.path, "patch");
  let made: FromPatchWorker;
  try {
    made = await makePatch(
      {
        format: plan.format,
        basePath: plan.base && (await folder.copyOf(objects, plan.base.file, "base", signal)),
        resultPath: await folder.copyOf(objects, plan.result, `result.${plan.format}`, signal),
        patchPath,
        maxPatchBytes: plan.maxPatchBytes,
        resultBytes: plan.result.sizeBytes,
        resultSha256: plan.result.checksums.sha256,
      },
      limits,
      signal,
    );
    const durationMs = Math.round(performance.now() - startedMs);
    if ("dropped" in made) return { ...patch, reason: made.dropped, durationMs };
    const objectKey = patchKeyOf(patch);
    await objects.put(objectKey, createReadStream(patchPath));
    return { ...patch, file: { objectKey, ...made }, durationMs };
  } finally {
    await rm(patchPath, { force: true });
  }
}

function newPatch({ id: buildId, versionId }: Build, { format, base }: PlannedPatch, now: Date): Patch {
  return {
    id: newId(now),
    versionId,
    format,
    buildId,
    baseBuildId: base?.buildId ?? null,
    baseSha256: base?.file.checksums.sha256 ?? EMPTY_SHA256,
    file: null,
    reason: null,
    durationMs: 0,
    created: now,
  };
}

/** Removes what a killed process left: its local files, and a patch that it stored but did not record. */
async function removeLeftovers({ store, objects, directory }: PatchJobOptions, build: Build): Promise<void> {
  // Patches are made one at a time, so no other process needs these files.
  await emptyDirectory(directory);
  const found = await Array.fromAsync(objects.list(`${build.versionId}/${build.id}/`));
  const ids = found.flatMap(({ key }) => patchIdOf(key, build.versionId) ?? []);
  const recorded = await store.patches.existing(ids);
  for (const id of ids) {
    if (!recorded.has(id)) await objects.remove(patchKeyOf({ versionId: build.versionId, buildId: build.id, id }));
  }
}
