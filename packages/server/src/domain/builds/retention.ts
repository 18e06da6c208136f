import type { Tables } from "../store.ts";
import type { BuildSummary } from "./build.ts";

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
  const since = new Date(now.getTime() - (retention.linkTtlSeconds + MARGIN_SECONDS) * 1000);
  const inUse = await tables.builds.handedOutSince(
    surplus.map(({ id }) => id),
    since,
  );
  const lineage = await tables.builds.lineage(current.versionId);
  for (const { buildId, superseded } of lineage) if (superseded && superseded >= since) inUse.add(buildId);
  const retired = surplus.filter(({ id }) => !inUse.has(id));
  for (const { id } of retired) await tables.builds.setState(id, { state: "removed" });
  return retired;
}

/** Expects the newest build first. */
function surplusOf(builds: readonly BuildSummary[], currentId: string, keep: number): BuildSummary[] {
  const others = builds.filter(({ id }) => id !== currentId);
  const kept = new Set(others.filter(({ state }) => state === "published").slice(0, keep - 1));
  return others.filter((build) => (build.state === "published" || build.state === "withdrawn") && !kept.has(build));
}
