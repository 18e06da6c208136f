import type { ListedVersion } from "@dbdepot/contract/operator/catalogue";
import { versionToWire } from "../catalogue/wire.ts";
import type { Tables } from "../store.ts";
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
