import { FORMATS } from "@dbdepot/contract/shared/formats";
import type { BuildSummary } from "../builds/build.ts";
import { basesOf } from "../builds/retention.ts";
import type { Store } from "../store.ts";

/** How long a customer may have downloaded nothing and still gets a patch. */
const RECENT_DAYS = 30;

/** `downloaded`: only files that a customer probably has. `all`: those of every build that counts. */
export type BaseSelection = "downloaded" | "all";

/**
 * The builds to make patches from, newest first, each with only the files from which to make one. Of the newest `count`
 * builds, these are the files that some customer downloaded last. The current build does not count, because a machine that has it may share its key with one that
 * does not.
 */
export async function selectBases(
  { builds, attempts }: Pick<Store, "builds" | "attempts">,
  current: BuildSummary,
  { count, selection, now }: { count: number; selection: BaseSelection; now: Date },
): Promise<BuildSummary[]> {
  const earlier = basesOf(await builds.list(current.versionId), current, count);
  if (selection === "all" || earlier.length === 0) return earlier;
  const since = new Date(now.getTime() - RECENT_DAYS * 86_400_000);
  const ids = earlier.map(({ id }) => id);
  const last = await attempts.lastBuilds(current.versionId, ids, since);
  const downloaded = new Set(last.map(({ format, buildId }) => `${format} ${buildId}`));
  return earlier.flatMap((build) => {
    const formats = FORMATS.filter((format) => downloaded.has(`${format} ${build.id}`));
    if (formats.length === 0) return [];
    return [{ ...build, files: Object.fromEntries(formats.map((format) => [format, build.files[format]])) }];
  });
}
