import type { ListedBuild } from "@dbdepot/contract/operator/builds";

/** The published build that replaces this one if it is withdrawn, and that it is compared with. */
export function previousOf(build: ListedBuild, builds: readonly ListedBuild[]): ListedBuild | undefined {
  const byId = new Map(builds.map((each) => [each.id, each]));
  let candidate = byId.get(build.previous_build_id ?? "");
  while (candidate && candidate.state !== "published") candidate = byId.get(candidate.previous_build_id ?? "");
  return candidate;
}
