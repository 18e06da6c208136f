import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import type { Version } from "../catalogue/version.ts";
import { versionToWire } from "../catalogue/wire.ts";
import { signatureToWire } from "../manifests/wire.ts";
import { patchToOperatorWire } from "../patches/wire.ts";
import type { Tables } from "../store.ts";
import type { BuildSummary } from "./build.ts";
import { dueAt, updateFrequencyOf } from "./overdue.ts";
import { buildToWire } from "./wire.ts";

/** The versions of one family, or of all, with their current builds. */
export async function listVersions(tables: Tables, base: string | undefined, now: Date): Promise<ListedVersion[]> {
  const versions = await tables.versions.list(base);
  const ids = versions.flatMap(({ currentBuildId }) => currentBuildId ?? []);
  const builds = new Map((await tables.builds.byIds(ids)).map((build) => [build.id, build]));
  const published = await tables.versions.published();
  return versions.map((version) => {
    const build = builds.get(version.currentBuildId ?? "");
    const due = build && !version.archived ? dueAt(build) : null;
    return {
      ...versionToWire(version),
      current_build: build ? buildToWire(build, build.id) : null,
      update_freq: build ? updateFrequencyOf(build) : null,
      overdue: due !== null && due < now,
      planned: !published.has(version.id),
    };
  });
}

/** Adds to builds of a version who published them, what they replaced, what changed, their manifests, and the patches to them. */
export async function listedBuilds(
  tables: Tables,
  version: Version,
  builds: readonly BuildSummary[],
): Promise<ListedBuild[]> {
  const publishers = await tables.audit.actorsOf(
    "build.published",
    builds.map(({ id }) => id),
  );
  const counts = await tables.changes.counts(builds.map(({ id }) => id));
  const lineage = await tables.builds.lineage(version.id);
  const predecessors = new Map(lineage.map(({ buildId, previousBuildId }) => [buildId, previousBuildId]));
  const signatures = await tables.manifests.signaturesOf(
    version.id,
    builds.map(({ id }) => id),
  );
  const patches = await tables.patches.ofBuilds(builds.map(({ id }) => id));
  return builds.map((build) => ({
    ...buildToWire(build, version.currentBuildId),
    previous_build_id: predecessors.get(build.id) ?? null,
    published_by: publishers.get(build.id) ?? null,
    signature: signatureToWire(signatures.get(build.id)),
    changes: counts.get(build.id) ?? null,
    patches: patches.filter(({ buildId }) => buildId === build.id).map(patchToOperatorWire),
  }));
}
