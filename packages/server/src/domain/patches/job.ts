import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Claim } from "../../platform/primitives/claim.ts";
import type { Clock } from "../../platform/primitives/clock.ts";
import { newId } from "../../platform/primitives/ids.ts";
import type { Build, BuildFile } from "../builds/build.ts";
import type { ObjectStore } from "../builds/object-store.ts";
import type { Store } from "../store.ts";
import type { FromPatchWorker, MakePatch, PatchLimits } from "./make-patch.ts";
import { EMPTY_SHA256, type Patch, patchIdOf, patchKeyOf } from "./patch.ts";
import { basesOf, type PlannedPatch, planPatches } from "./plan.ts";
import type { PatchJob } from "./store.ts";

export interface JobOptions {
  store: Store;
  objects: ObjectStore;
  clock: Clock;
  /** How many earlier builds get a patch to the current one. */
  bases: number;
  /** Where to put local copies of the files. Only this process and its predecessors write to it. */
  directory: string;
  limits: PatchLimits;
  makePatch: MakePatch;
  onPatch(patch: Patch): void;
}

/** Thrown when another process has taken over the job, or the version has another current build. */
export class ClaimEnded extends Error {
  constructor() {
    super("the claim of the job has ended");
    this.name = "ClaimEnded";
  }
}

/**
 * Makes all missing patches to the build of the job, one at a time. Each one is recorded as soon as it is stored, so a
 * job that was killed continues where it stopped.
 */
export async function runJob(
  options: JobOptions,
  job: PatchJob,
  { claim, signal }: { claim(): Claim; signal: AbortSignal },
): Promise<void> {
  const { store, objects, bases } = options;
  const build = await store.builds.byId(job.buildId);
  if (!build) return;
  await removeLeftovers(options, build);
  const existing = await store.patches.ofBuilds([build.id]);
  const planned = planPatches(build, basesOf(await store.builds.list(build.versionId), build, bases), existing);
  await using folder = await openFolder(options.directory);
  for (const plan of planned) {
    signal.throwIfAborted();
    const patch = await makeOne(options, { build, plan, folder, signal });
    const isRecorded = await store.change(async (tables) => {
      if (!(await tables.patches.extend(job, claim()))) return false;
      await tables.patches.insert(patch);
      return true;
    });
    if (!isRecorded) {
      if (patch.file) await objects.remove(patch.file.objectKey);
      throw new ClaimEnded();
    }
    options.onPatch(patch);
  }
}

/** Records that the remaining patches of a job were given up. */
export async function giveUp(
  { store, bases, clock }: JobOptions,
  job: PatchJob,
  { claim, reason }: { claim: Claim; reason: string },
): Promise<void> {
  const build = await store.builds.byId(job.buildId);
  if (!build) return;
  const builds = await store.builds.list(build.versionId);
  const planned = planPatches(build, basesOf(builds, build, bases), await store.patches.ofBuilds([build.id]));
  await store.change(async (tables) => {
    if (!(await tables.patches.extend(job, claim))) return;
    for (const plan of planned) await tables.patches.insert({ ...newPatch(build, plan, clock()), reason });
  });
}

interface Making {
  build: Build;
  plan: PlannedPatch;
  folder: Folder;
  signal: AbortSignal;
}

async function makeOne(options: JobOptions, { build, plan, folder, signal }: Making): Promise<Patch> {
  const { objects, clock, limits, makePatch } = options;
  const startedMs = performance.now();
  const patch = newPatch(build, plan, clock());
  if (plan.reason !== undefined) return { ...patch, reason: plan.reason };
  const patchPath = join(folder.path, "patch");
  const checkPath = join(folder.path, "check");
  let made: FromPatchWorker;
  try {
    made = await makePatch(
      {
        format: plan.format,
        basePath: plan.base && (await folder.copyOf(objects, plan.base.file, "base", signal)),
        resultPath: await folder.copyOf(objects, plan.result, `result.${plan.format}`, signal),
        patchPath,
        checkPath,
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
    for (const path of [patchPath, checkPath]) await rm(path, { force: true });
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
async function removeLeftovers({ store, objects, directory }: JobOptions, build: Build): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // Patches are made one at a time, so no other process needs these files.
  for (const name of await readdir(directory)) await rm(join(directory, name), { recursive: true, force: true });
  const found = await Array.fromAsync(objects.list(`${build.versionId}/${build.id}/`));
  const ids = found.flatMap(({ key }) => patchIdOf(key, build.versionId) ?? []);
  const recorded = await store.patches.existing(ids);
  for (const id of ids) {
    if (!recorded.has(id)) await objects.remove(patchKeyOf({ versionId: build.versionId, buildId: build.id, id }));
  }
}

/** Local copies of the files that a patch is made from. */
interface Folder extends AsyncDisposable {
  path: string;
  /** Returns the path of a copy. A copy with the same name replaces the last one, unless it is of the same file. */
  copyOf(objects: ObjectStore, file: BuildFile, name: string, signal: AbortSignal): Promise<string>;
}

async function openFolder(directory: string): Promise<Folder> {
  const path = join(directory, newId(new Date()));
  await mkdir(path, { mode: 0o700 });
  const copied = new Map<string, string>();
  return {
    path,
    async copyOf(objects, { objectKey }, name, signal) {
      const copy = join(path, name);
      if (copied.get(name) !== objectKey) {
        await pipeline(await objects.read(objectKey), createWriteStream(copy, { mode: 0o600 }), { signal });
        copied.set(name, objectKey);
      }
      return copy;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
