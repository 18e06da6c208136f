import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "../api/api.ts";
import { isRecord, isSha256 } from "../api/incoming.ts";
import type { Format, Manifest, PatchOffer } from "../api/wire.gen.ts";
import { writeAtomically } from "../atomic-file.ts";
import { EMPTY_SHA256, savePatch } from "../download/patch.ts";
import { findSource } from "../download/source.ts";
import { parseManifest } from "../proof/documents.ts";
import * as layout from "./layout.ts";
import type { MirrorOptions } from "./options.ts";
import { readSigned } from "./signed.ts";

/** The default of a service. */
const EARLIER_BUILDS = 7;

/** A patch in the mirror's list. */
export type MirroredPatch = Omit<PatchOffer, "result_size_bytes"> & { format: Format };

/**
 * Copies the patches to the current files from those of earlier builds, whose digests are in the chain of manifests. They
 * may be made after the build was published, so every run looks for those that are missing. The mirror is complete
 * without patches, so failures are ignored.
 */
export async function copyPatches(api: Api, manifest: Manifest, buildId: string, o: MirrorOptions): Promise<void> {
  const { id } = manifest;
  const { directory, delivery = "redirect", signal } = o;
  const index = join(directory, layout.patchIndexPath(id, buildId));
  let known = readPatchIndex(await readFile(index, "utf8").catch(() => ""));
  for (const { format, from } of await basesOf(manifest, directory)) {
    if (known.some((patch) => patch.format === format && patch.from === from)) continue;
    try {
      const file = { id, format, sample: false, delivery: "stream", signal } as const;
      // Asks for the checksums first, which are not recorded in the history if there is no patch.
      const offered = (await findSource(api, file, buildId, from)).patch;
      if (!offered) continue;
      const source = delivery === "stream" ? undefined : await findSource(api, { ...file, delivery }, buildId, from);
      const path = join(directory, layout.patchPath(id, buildId, format, from));
      await savePatch(api, { file, source: source ?? { url: null, sha256: "", buildId, patch: offered } }, path);
      known = [...known, { format, from, sha256: offered.sha256, size_bytes: offered.size_bytes }];
      await writeAtomically(index, `${JSON.stringify(known, null, 2)}\n`);
    } catch (error) {
      if (signal?.aborted) throw error;
    }
  }
}

/** The digests of earlier files that customers may have, newest first. */
async function basesOf(manifest: Manifest, directory: string): Promise<{ format: Format; from: string }[]> {
  const bases = new Map<string, { format: Format; from: string }>();
  const builds = new Set<string>();
  for (let position = manifest.sequence - 1; position > 0 && builds.size < EARLIER_BUILDS; position -= 1) {
    const signed = await readSigned(join(directory, layout.chainPath(manifest.id, position)));
    const earlier = signed && parseManifest(signed.manifest);
    if (!earlier?.build_id || earlier.build_id === manifest.build_id) continue;
    builds.add(earlier.build_id);
    for (const format of ["csvgz", "mmdb"] as const) {
      const from = earlier.files[format]?.checksums.sha256;
      if (from && manifest.files[format] && manifest.files[format].checksums.sha256 !== from) {
        bases.set(`${format} ${from}`, { format, from });
      }
    }
  }
  if (manifest.files.mmdb) bases.set("mmdb", { format: "mmdb", from: EMPTY_SHA256 });
  return [...bases.values()];
}

/** Empty if the list is missing or damaged. */
export function readPatchIndex(text: string): MirroredPatch[] {
  try {
    const patches: unknown = JSON.parse(text);
    return Array.isArray(patches) ? patches.filter(isMirroredPatch) : [];
  } catch {
    return [];
  }
}

function isMirroredPatch(patch: unknown): patch is MirroredPatch {
  return isRecord(patch) && isSha256(patch.from) && isSha256(patch.sha256) && Number.isSafeInteger(patch.size_bytes);
}
