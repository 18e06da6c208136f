import type { Api } from "../api/api.ts";
import type { Format } from "../api/wire.ts";
import { abortedError, DbdepotError } from "../errors.ts";
import type { Destination } from "./destination.ts";
import { diskError } from "./disk-error.ts";
import { FileDestination } from "./file-destination.ts";
import type { Downloaded, DownloadOptions } from "./options.ts";
import { StreamDestination } from "./stream-destination.ts";
import { Transfer } from "./transfer.ts";

export async function download(api: Api, id: string, format: Format, o: DownloadOptions): Promise<Downloaded> {
  const { to, signal } = o;
  if (signal?.aborted) throw abortedError();
  const destination: Destination =
    typeof to === "string" ? await FileDestination.open(to, format, signal) : new StreamDestination(to, format);
  try {
    const transfer = new Transfer(
      api,
      { id, format, sample: o.sample ?? false, delivery: o.delivery ?? "redirect", signal },
      destination,
      o,
    );
    const { sha256, buildId } = await transfer.run();
    const faults = await destination.faults();
    if (faults.length > 0) {
      throw new DbdepotError("corrupt", `the published ${format} file is damaged: ${faults.join("; ")}`);
    }
    const { receivedBytes: sizeBytes, resumedFromBytes } = destination;
    await destination.commit();
    return { ...(typeof to === "string" && { path: to }), sizeBytes, sha256, buildId, resumedFromBytes };
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
