import type { Api } from "../api/api.ts";
import { checksums, downloadUrl } from "../api/link.ts";
import { metadata } from "../api/metadata.ts";
import type { Format, PatchOffer } from "../api/wire.gen.ts";
import { DbdepotError } from "../errors.ts";
import type { DownloadOptions } from "./options.ts";

/** The link to a file, and the digest that the file must have. */
export interface Source {
  /** Null if the service sends the file itself. */
  url: URL | null;
  sha256: string;
  buildId: string | null;
  /** Null if the source is the whole file. The digest above is that of the file in any case. */
  patch: SourcePatch | null;
}

export type SourcePatch = Pick<PatchOffer, "from" | "sha256" | "size_bytes"> & Partial<PatchOffer>;

export interface FileRequest {
  id: string;
  format: Format;
  sample: boolean;
  delivery: "redirect" | "stream";
  signal: AbortSignal | undefined;
}

/**
 * The digest normally comes with the link. If the service or a proxy omits it, it is requested from the checksum
 * endpoint, for the same build if the service sends build ids. Without a build id, a new build may be published between
 * the two requests; then the digest does not match, and the transfer starts over.
 */
export async function findSource(
  api: Api,
  file: FileRequest,
  build: string | undefined,
  from?: string,
): Promise<Source> {
  const { id, format, sample, signal } = file;
  if (file.delivery === "stream") {
    const found = await checksums(api, id, format, { build, sample, from, signal });
    return { url: null, sha256: found.checksums.sha256, buildId: found.buildId, patch: found.patch };
  }
  const link = await downloadUrl(api, id, format, { build, sample, from, signal });
  const url = new URL(link.url);
  const patch = link.patch && from !== undefined ? { from, ...link.patch } : null;
  if (link.sha256 !== null) return { url, sha256: link.sha256, buildId: link.buildId, patch };
  const found = await checksums(api, id, format, { build: link.buildId ?? build, sample, signal });
  return { url, sha256: found.checksums.sha256, buildId: link.buildId ?? found.buildId, patch };
}

/**
 * Returns the size that the caller expects of this build, or else the one in its metadata, to limit what is written.
 * Undefined if it is unknown: some services omit it, and the metadata does not describe samples.
 */
export async function findSize(
  api: Api,
  { id, format, sample, signal }: FileRequest,
  { buildId }: Source,
  { build, sizeBytes }: Pick<DownloadOptions, "build" | "sizeBytes">,
): Promise<number | undefined> {
  if (sizeBytes !== undefined && (build === undefined || build === buildId)) return sizeBytes;
  if (sample) return undefined;
  try {
    const found = await metadata(api, id, { build: buildId ?? build, signal });
    return found.changed ? found.metadata.size?.[format] : undefined;
  } catch (error) {
    if (error instanceof DbdepotError && error.kind === "not_found") return undefined;
    throw error;
  }
}
