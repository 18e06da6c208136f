import { oldestKept } from "../../platform/primitives/dates.ts";
import { record } from "../audit/audit.ts";
import type { Version } from "../catalogue/version.ts";
import type { Operation, Tables } from "../store.ts";
import type { BuildSummary } from "./build.ts";
import { previousBuild } from "./current.ts";
import type { ObjectStore } from "./object-store.ts";
import { removeObjects } from "./publishing/stage.ts";

/** Replicas may serve a superseded build for another second, and clocks differ. */
const MARGIN_SECONDS = 60;

export interface Retention {
  /** How many published builds of a version to keep, including the current one. */
  keep: number;
  /** How long a download link works. */
  linkTtlSeconds: number;
}

/** How many published builds of a version are kept, and for how long. A build is removed when every limit that is set allows it. */
export interface BuildLimits {
  /** How many of the newest ones to keep, including the current one. */
  count: number;
  /** How long to keep a build after it was replaced. */
  days: number;
  /** The number of earlier builds that patches are made from: these are kept until the patches exist. */
  patchBases: number;
  /** How long a download link works: a build is kept as long as its links work. */
  linkTtlSeconds: number;
}

/**
 * Marks builds beyond `keep`, and withdrawn ones, as removed; never the current one, nor one whose links may still work.
 * The caller deletes their objects after the commit.
 */
export async function removeSurplus(
  tables: Tables,
  current: BuildSummary,
  retention: Retention,
  now: Date,
): Promise<BuildSummary[]> {
  const surplus = surplusOf(await tables.builds.list(current.versionId), current.id, retention.keep);
  const removed = await withoutLinks(tables, current.versionId, surplus, retention.linkTtlSeconds, now);
  for (const { id } of removed) await tables.builds.setState(id, { state: "removed" });
  return removed;
}

/**
 * The builds of a version that the settings no longer keep, the newest first. Unlike `removeSurplus`, it also keeps the build that a rollback
 * would return to, and those from which patches are still to be made.
 */
async function outdatedBuilds(
  tables: Pick<Tables, "builds" | "jobs">,
  { id: versionId, currentBuildId }: Version,
  limits: BuildLimits,
  now: Date,
): Promise<BuildSummary[]> {
  const { count, days, patchBases, linkTtlSeconds } = limits;
  const builds = await tables.builds.list(versionId, { states: ["published", "withdrawn"] });
  const current = builds.find(({ id }) => id === currentBuildId);
  // A version without a current build had to be withdrawn entirely. Its last builds may be needed to find out why.
  if (!current || (count === 0 && days === 0)) return [];
  const superseded = new Map(
    (await tables.builds.lineage(versionId)).map((build) => [build.buildId, build.superseded] as const),
  );
  const oldest = oldestKept(days, now);
  const isOld = ({ id, withdrawn, published, created }: BuildSummary) =>
    (withdrawn ?? superseded.get(id) ?? published ?? created) < oldest;
  const surplus = new Set(count === 0 ? builds : surplusOf(builds, current.id, count));
  const job = await tables.jobs.find("make_patches", versionId);
  const needed = new Set([
    current.id,
    (await previousBuild(tables, current))?.id,
    ...(job && !job.failed ? basesOf(builds, current, patchBases).map(({ id }) => id) : []),
  ]);
  const outdated = builds.filter(
    (build) => surplus.has(build) && (days === 0 || isOld(build)) && !needed.has(build.id),
  );
  return withoutLinks(tables, versionId, outdated, linkTtlSeconds, now);
}

/** The builds of all versions that the settings no longer keep. */
export async function allOutdatedBuilds(
  tables: Pick<Tables, "versions" | "builds" | "jobs">,
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
  const versionIds = new Set((await allOutdatedBuilds(store, limits, now)).map(({ versionId }) => versionId));
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

/** Leaves out builds whose links may still work. */
async function withoutLinks(
  tables: Pick<Tables, "builds">,
  versionId: string,
  builds: readonly BuildSummary[],
  linkTtlSeconds: number,
  now: Date,
): Promise<BuildSummary[]> {
  if (builds.length === 0) return [];
  const since = new Date(now.getTime() - (linkTtlSeconds + MARGIN_SECONDS) * 1000);
  const inUse = await tables.builds.handedOutSince(
    builds.map(({ id }) => id),
    since,
  );
  for (const { buildId, superseded } of await tables.builds.lineage(versionId)) {
    if (superseded && superseded >= since) inUse.add(buildId);
  }
  return builds.filter(({ id }) => !inUse.has(id));
}

/** Expects the newest build first. */
function surplusOf(builds: readonly BuildSummary[], currentId: string, keep: number): BuildSummary[] {
  const others = builds.filter(({ id }) => id !== currentId);
  const kept = new Set(others.filter(({ state }) => state === "published").slice(0, keep - 1));
  return others.filter((build) => (build.state === "published" || build.state === "withdrawn") && !kept.has(build));
}

/** The builds to make patches from: the newest ones whose files are still stored, withdrawn or not. */
export function basesOf(builds: readonly BuildSummary[], current: BuildSummary, count: number): BuildSummary[] {
  return builds
    .filter(({ id, state }) => id !== current.id && (state === "published" || state === "withdrawn"))
    .slice(0, count);
}
