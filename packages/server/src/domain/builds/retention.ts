import type { Version } from "../catalogue/version.ts";
import { basesOf } from "../patches/plan.ts";
import { type BuildLimits, oldestKept } from "../retention/policy.ts";
import type { Tables } from "../store.ts";
import type { BuildSummary } from "./build.ts";
import { previousBuild } from "./current.ts";

/** Replicas may serve a superseded build for another second, and clocks differ. */
const MARGIN_SECONDS = 60;

export interface Retention {
  /** How many published builds of a version to keep, including the current one. */
  keep: number;
  /** How long a download link works. */
  linkTtlSeconds: number;
}

/**
 * Marks builds beyond `keep`, and withdrawn ones, as removed; never the current one, nor one whose links may still work.
 * The caller deletes their objects after the commit.
 */
export async function retire(
  tables: Tables,
  current: BuildSummary,
  retention: Retention,
  now: Date,
): Promise<BuildSummary[]> {
  const surplus = surplusOf(await tables.builds.list(current.versionId), current.id, retention.keep);
  const retired = await withoutLinks(tables, current.versionId, surplus, retention.linkTtlSeconds, now);
  for (const { id } of retired) await tables.builds.setState(id, { state: "removed" });
  return retired;
}

/**
 * The builds of a version that the settings no longer keep, the newest first. Unlike `retire`, it also keeps the build that a rollback
 * would return to, and those from which patches are still to be made.
 */
export async function outdatedBuilds(
  tables: Pick<Tables, "builds" | "patches">,
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
  const hasJob = (await tables.patches.jobs()).some((job) => job.versionId === versionId);
  const needed = new Set([
    current.id,
    (await previousBuild(tables, current))?.id,
    ...(hasJob ? basesOf(builds, current, patchBases).map(({ id }) => id) : []),
  ]);
  const outdated = builds.filter(
    (build) => surplus.has(build) && (days === 0 || isOld(build)) && !needed.has(build.id),
  );
  return withoutLinks(tables, versionId, outdated, linkTtlSeconds, now);
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
