import type { Version } from "../catalogue/version.ts";
import type { Tables } from "../store.ts";
import type { Build } from "./build.ts";

/** The flip: from this transaction on, all formats of a version come from that build. */
export async function makeCurrent(
  tables: Tables,
  version: Version,
  build: Build | undefined,
  now: Date,
): Promise<void> {
  if (version.currentBuildId !== null) await tables.builds.setSuperseded(version.currentBuildId, now);
  if (build) await tables.builds.setSuperseded(build.id, null);
  await tables.versions.setCurrentBuild(version.id, build?.id ?? null);
}

/**
 * The build that was current before this one and can be again. Each build remembers
 * which one it followed, so a build that was rolled back is not come back to by accident.
 */
export async function buildBefore(tables: Tables, build: Build): Promise<Build | undefined> {
  const builds = new Map((await tables.builds.list(build.versionId)).map((found) => [found.id, found]));
  const places = await tables.builds.places(build.versionId);
  const previous = new Map(places.map(({ buildId, previousBuildId }) => [buildId, previousBuildId]));
  for (let id = previous.get(build.id); id; id = previous.get(id)) {
    const candidate = builds.get(id);
    if (candidate?.state === "published") return candidate;
  }
  return undefined;
}
