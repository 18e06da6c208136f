import type { Tables } from "../store.ts";
import type { Build } from "./build.ts";

/** A register may hand out a build for a second after it was superseded, and clocks differ. */
const MARGIN_SECONDS = 60;

export interface Retention {
  /** How many published builds of a version are kept, the current one among them. */
  keep: number;
  /** How long a link that was handed out can be used. */
  linkTtlSeconds: number;
}

/**
 * Lets go of the builds that are beyond `keep`, and of withdrawn ones; never of the
 * current one, and never of one whose links may still be used. They keep their rows, for
 * the history. Their objects are to be removed when the transaction is through.
 */
export async function retire(tables: Tables, current: Build, retention: Retention, now: Date): Promise<Build[]> {
  const surplus = surplusOf(await tables.builds.list(current.versionId), current.id, retention.keep);
  const since = new Date(now.getTime() - (retention.linkTtlSeconds + MARGIN_SECONDS) * 1000);
  const handedOut = await tables.builds.handedOutSince(
    surplus.map(({ id }) => id),
    since,
  );
  const places = await tables.builds.places(current.versionId);
  for (const { buildId, superseded } of places) if (superseded && superseded >= since) handedOut.add(buildId);
  const retired = surplus.filter(({ id }) => !handedOut.has(id));
  for (const { id } of retired) await tables.builds.setState(id, { state: "removed" });
  return retired;
}

/** `builds` are newest first. */
function surplusOf(builds: readonly Build[], currentId: string, keep: number): Build[] {
  const others = builds.filter(({ id }) => id !== currentId);
  const kept = new Set(others.filter(({ state }) => state === "published").slice(0, keep - 1));
  return others.filter((build) => (build.state === "published" || build.state === "withdrawn") && !kept.has(build));
}
