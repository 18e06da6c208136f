import type { Api } from "../api/api.ts";
import { checksums } from "../api/link.ts";
import type { Format } from "../api/wire.gen.ts";
import { abortedError, DbdepotError } from "../errors.ts";
import type { Destination } from "./destination.ts";
import { diskError } from "./disk-error.ts";
import { FileDestination } from "./file-destination.ts";
import type { Downloaded, DownloadOptions } from "./options.ts";
import { baseDigest, downloadPatch, EMPTY_SHA256 } from "./patch.ts";
import { isPatchOffered } from "./patch-offer.ts";
import { type FileRequest, findSource, type Source } from "./source.ts";
import { StreamDestination } from "./stream-destination.ts";
import { Transfer } from "./transfer.ts";

/**
 * Downloads a patch if there is one or is about to be, an mmdb otherwise as a compressed copy, and the whole file if there is neither or they fail.
 */
export async function download(api: Api, id: string, format: Format, o: DownloadOptions): Promise<Downloaded> {
  const { to, signal } = o;
  if (signal?.aborted) throw abortedError();
  const file = { id, format, sample: o.sample ?? false, delivery: o.delivery ?? "redirect", signal } as const;
  const base = await baseDigest(format, o);
  if (typeof to !== "string" || base === undefined || base === o.sha256) return downloadFile(api, file, o);
  for (const from of await basesToTry(api, file, base, o)) {
    const source = await findSource(api, file, o.build, from);
    const { patch } = source;
    if (!patch) return downloadFile(api, file, o, source);
    try {
      return await downloadPatch(api, { file, source: { ...source, patch }, to, options: o });
    } catch (error) {
      if (signal?.aborted) throw abortedError();
      o.onPatchFailure?.(error);
    }
  }
  return downloadFile(api, file, o);
}

/** The digests to send as `from`, one after the other. Asking for the checksums first is not recorded as a download. */
async function basesToTry(
  api: Api,
  { id, format, signal }: FileRequest,
  base: string,
  { build, onPatchWait }: DownloadOptions,
): Promise<string[]> {
  if (base === EMPTY_SHA256) return [base];
  const ask = () => checksums(api, id, format, { build, from: base, signal });
  const isOffered = await isPatchOffered(ask, { signal, onPatchWait });
  return [...(isOffered ? [base] : []), ...(format === "mmdb" ? [EMPTY_SHA256] : [])];
}

async function downloadFile(api: Api, file: FileRequest, o: DownloadOptions, first?: Source): Promise<Downloaded> {
  const { to, signal } = o;
  const { format } = file;
  const destination: Destination =
    typeof to === "string" ? await FileDestination.open(to, format, signal) : new StreamDestination(to, format);
  try {
    const transfer = new Transfer(api, file, destination, o, first);
    const { sha256, buildId } = await transfer.run();
    const faults = await destination.faults();
    if (faults.length > 0) {
      throw new DbdepotError("corrupt", `the published ${format} file is damaged: ${faults.join("; ")}`);
    }
    const { receivedBytes: sizeBytes, resumedFromBytes } = destination;
    await destination.commit();
    return {
      ...(typeof to === "string" && { path: to }),
      sizeBytes,
      sha256,
      buildId,
      resumedFromBytes,
      method: "file",
      transferredBytes: sizeBytes - resumedFromBytes,
    };
  } catch (error) {
    // Report the first error, not one from cleaning up.
    await destination.abandon(isWorthResuming(error)).catch(() => {});
    if (signal?.aborted) throw abortedError();
    throw typeof to === "string" ? diskError(to, error) : error;
  }
}

/** On a full disk, a part file would take up space. Damaged bytes cannot be resumed. */
function isWorthResuming(error: unknown): boolean {
  return error instanceof DbdepotError && error.kind !== "disk" && error.kind !== "corrupt";
}
