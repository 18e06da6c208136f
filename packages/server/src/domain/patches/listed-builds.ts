import type { ListedBuild } from "@dbdepot/contract/operator/builds";
import type { BuildSummary } from "../builds/build.ts";
import { buildToWire } from "../builds/wire.ts";
import type { Version } from "../catalogue/version.ts";
import { signatureToWire } from "../manifests/wire.ts";
import type { Tables } from "../store.ts";
import { patchToOperatorWire } from "./wire.ts";

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
