import { FORMATS, type Format } from "@dbdepot/contract/shared/formats";
import type { BuildFile, BuildSummary } from "../builds/build.ts";
import { EMPTY_SHA256, type Patch } from "./patch.ts";

/** Transferring a smaller file takes no longer than transferring its patch. */
const MIN_FILE_BYTES = 64_000;
/** A patch costs the client more work than a download, so it must save most of the bytes. */
const MAX_SHARE = 0.3;
/** Decompressing is cheap, so a compressed copy is worth it even if it saves less. */
const MAX_COMPRESSED_SHARE = 0.8;
/** A structural patch holds both files in memory several times over, outside of the heap that a thread can limit. */
const MAX_MMDB_BYTES = 1024 ** 3;

/** A patch that should exist, but does not yet. */
export interface PlannedPatch {
  format: Format;
  /** Null for a compressed copy. */
  base: { buildId: string; file: BuildFile } | null;
  result: BuildFile;
  /** A larger patch is dropped. */
  maxPatchBytes: number;
  /** Why the patch is not worth making; undefined if it is. */
  reason: string | undefined;
}

/** Plans the patches from each base to the current build that do not exist yet, in the order of the bases. */
export function planPatches(
  current: BuildSummary,
  bases: readonly BuildSummary[],
  existing: readonly Patch[],
): PlannedPatch[] {
  const known = new Set(existing.map(({ format, baseSha256 }) => `${format} ${baseSha256}`));
  const planned: PlannedPatch[] = [];
  const plan = (format: Format, base: PlannedPatch["base"], share: number) => {
    const result = current.files[format];
    const name = `${format} ${base?.file.checksums.sha256 ?? EMPTY_SHA256}`;
    if (!result || known.has(name) || base?.file.checksums.sha256 === result.checksums.sha256) return;
    known.add(name);
    const maxPatchBytes = Math.floor(result.sizeBytes * share);
    planned.push({ format, base, result, maxPatchBytes, reason: reasonToSkip(format, base?.file, result) });
  };
  for (const { id: buildId, files } of bases) {
    for (const format of FORMATS) {
      const file = files[format];
      if (file) plan(format, { buildId, file }, MAX_SHARE);
    }
  }
  // A csv.gz is compressed already.
  plan("mmdb", null, MAX_COMPRESSED_SHARE);
  return planned;
}

function reasonToSkip(format: Format, base: BuildFile | undefined, result: BuildFile): string | undefined {
  if (result.sizeBytes < MIN_FILE_BYTES) return `the file is smaller than ${MIN_FILE_BYTES / 1000} kB`;
  const isTooLarge = format === "mmdb" && base && Math.max(base.sizeBytes, result.sizeBytes) > MAX_MMDB_BYTES;
  return isTooLarge ? "the file is larger than 1 GiB, so making a patch takes too much memory" : undefined;
}
