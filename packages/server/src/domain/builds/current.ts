import { requestTables } from "../catalogue/catalogue.ts";
import type { Version } from "../catalogue/version.ts";
import { enqueue } from "../jobs/jobs.ts";
import { signCurrent } from "../manifests/sign.ts";
import type { Operation, Tables } from "../store.ts";
import type { Build } from "./build.ts";
import type { Outcome } from "./changes/outcome.ts";

/**
 * From this transaction on, all formats of the version come from this build; undefined leaves it without one. The
 * change is signed, if the service signs builds.
 */
export async function makeCurrent(
  tables: Tables,
  operation: Operation,
  version: Version,
  build: Build | undefined,
): Promise<void> {
  await replaceCurrent(tables, operation, version, build);
  await signCurrent(tables, operation, version.id, build);
}

/**
 * Requests the comparison with the build that this one replaces, which is made later. Returns the result if the builds were
 * compared before.
 */
export async function requestChanges(
  tables: Tables,
  { now }: Operation,
  version: Version,
  build: Build,
): Promise<Outcome | undefined> {
  if (version.currentBuildId === null || !version.formats.includes("csvgz")) return undefined;
  const pair = { from: version.currentBuildId, to: build.id };
  await enqueue(tables, "compare_builds", pair, now);
  return tables.changes.find(pair);
}

/** Does not sign the change, because imported builds come with a manifest. Queues the patches to the new build, and its tables. */
export async function replaceCurrent(
  tables: Tables,
  operation: Operation,
  version: Version,
  build: Build | undefined,
): Promise<void> {
  await enqueue(tables, "plan_deliveries", {}, operation.now);
  if (version.currentBuildId !== null) await tables.builds.setSuperseded(version.currentBuildId, operation.now);
  if (build) await tables.builds.setSuperseded(build.id, null);
  await tables.versions.setCurrentBuild(version.id, build?.id ?? null);
  if (build) await enqueue(tables, "make_patches", { versionId: version.id, buildId: build.id }, operation.now);
  else await tables.jobs.remove("make_patches", version.id);
  if (version.tables && build) await requestTables(tables, version.id, build.id, operation.now);
  else await tables.jobs.remove("write_tables", version.id);
}

/**
 * The published build that preceded this one. Each build records its predecessor, so a build that was rolled back is
 * never chosen by default.
 */
export async function previousBuild(
  tables: Pick<Tables, "builds">,
  build: Pick<Build, "id" | "versionId">,
): Promise<Build | undefined> {
  const published = await tables.builds.list(build.versionId, { states: ["published"] });
  const candidates = new Set(published.map(({ id }) => id));
  const lineage = await tables.builds.lineage(build.versionId);
  const predecessors = new Map(lineage.map(({ buildId, previousBuildId }) => [buildId, previousBuildId]));
  for (let id = predecessors.get(build.id); id; id = predecessors.get(id)) {
    if (candidates.has(id)) return tables.builds.byId(id);
  }
  return undefined;
}
