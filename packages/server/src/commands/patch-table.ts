import { formatBytes } from "@dbdepot/terminal/format";
import type { Output } from "@dbdepot/terminal/output";
import type { Build } from "../domain/builds/build.ts";
import type { Patch } from "../domain/patches/patch.ts";
import type { Tables } from "../domain/store.ts";

/** The patches to a build: from which builds, how large they are and how long they took, or why a patch is missing. */
export async function patchTable(output: Output, tables: Tables, build: Build): Promise<string> {
  const patches = await tables.patches.ofBuilds([build.id]);
  const bases = await tables.builds.byIds(patches.flatMap(({ baseBuildId }) => baseBuildId ?? []));
  const dates = new Map(bases.map(({ id, updated }) => [id, updated]));
  const job = await tables.jobs.find("make_patches", build.versionId);
  const table = output.table(
    ["FORMAT", "FROM", "FROM BUILD", "SIZE", "SHARE", "SECONDS", "DROPPED BECAUSE"],
    patches.map((patch) => [
      patch.format,
      patch.baseBuildId === null ? "nothing (compressed copy)" : dates.get(patch.baseBuildId),
      patch.baseBuildId,
      patch.file && formatBytes(patch.file.sizeBytes),
      shareOf(patch, build),
      (patch.durationMs / 1000).toFixed(1),
      patch.reason,
    ]),
    "No patches to this build.",
  );
  if (job?.data.buildId !== build.id) return table;
  if (!job.failed) return `${table}Patches to this build are waiting to be made.\n`;
  return `${table}Making patches failed: ${job.error}. Retry with "dbdepot-server jobs retry ${job.id}".\n`;
}

function shareOf({ file, format }: Patch, build: Build): string | undefined {
  const result = build.files[format];
  return file && result ? `${((100 * file.sizeBytes) / result.sizeBytes).toFixed(1)} %` : undefined;
}
