import { abortedError, DbdepotError } from "../errors.ts";
import type { Api } from "../request.ts";
import type { Format } from "../wire.ts";
import type { Destination } from "./destination.ts";
import { diskError } from "./disk-error.ts";
import type { Downloaded, DownloadOptions } from "./options.ts";
import { PathDestination } from "./path-destination.ts";
import { StreamDestination } from "./stream-destination.ts";
import { Transfer } from "./transfer.ts";

/** Until all of it is there and right, or there is no use in trying. */
export async function download(api: Api, id: string, format: Format, o: DownloadOptions): Promise<Downloaded> {
  const { to, signal } = o;
  if (signal?.aborted) throw abortedError();
  const destination: Destination =
    typeof to === "string" ? await PathDestination.open(to, format, signal) : new StreamDestination(to, format);
  const wish = { id, format, delivery: o.delivery ?? "redirect", signal } as const;
  try {
    const transfer = new Transfer(api, wish, destination, o);
    const { sha256, buildId } = await transfer.run();
    const { faults } = await destination.end();
    if (faults.length > 0) throw new DbdepotError("corrupt", `the published ${format} is broken: ${faults.join("; ")}`);
    const { takenBytes: sizeBytes, resumedFromBytes } = destination;
    await destination.accept();
    return { ...(typeof to === "string" && { path: to }), sizeBytes, sha256, buildId, resumedFromBytes };
  } catch (error) {
    // What went wrong first is what counts.
    await destination.abandon(isWorthKeeping(error)).catch(() => {});
    if (signal?.aborted) throw abortedError();
    throw typeof to === "string" ? diskError(to, error) : error;
  }
}

/** A disk that is full should not stay so for a part file, and what is broken is of no use later. */
function isWorthKeeping(error: unknown): boolean {
  return error instanceof DbdepotError && error.kind !== "disk" && error.kind !== "corrupt";
}
