import type { BuildPatch } from "@dbdepot/contract/operator/builds";
import type { PatchOffer } from "@dbdepot/contract/v2/checksums";
import type { BuildFile } from "../builds/build.ts";
import type { OfferedPatch, Patch } from "./patch.ts";

/** A patch as customers see it. */
export function patchToWire({ baseSha256, file: { sha256, sizeBytes } }: OfferedPatch, result: BuildFile): PatchOffer {
  return { from: baseSha256, sha256, size_bytes: sizeBytes, result_size_bytes: result.sizeBytes };
}

/** A patch as operators see it. */
export function patchToOperatorWire(patch: Patch): BuildPatch {
  return {
    format: patch.format,
    from_build_id: patch.baseBuildId,
    size_bytes: patch.file?.sizeBytes ?? null,
    reason: patch.reason,
    duration_ms: patch.durationMs,
    created: patch.created.toISOString(),
  };
}
