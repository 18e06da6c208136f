import type { AddressRows, OldRows } from "../old-rows.ts";

/** Small, because on SQLite a download waits for the batch that is being deleted. */
const BATCH_SIZE = 500;
/** Most of these rows have no address any more, so they are only read. */
const ADDRESS_BATCH_SIZE = 2000;

/** Deletes all rows from before `oldest`, in small transactions. Stops after the current one when `signal` is aborted. */
export async function removeInBatches(
  rows: Pick<OldRows, "removeBefore">,
  oldest: Date,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  while (!signal?.aborted) {
    const removed = await rows.removeBefore(oldest, BATCH_SIZE);
    // A batch is smaller than requested if another server has just deleted some of its rows.
    if (removed === 0) break;
    total += removed;
  }
  return total;
}

/** Removes the addresses of rows after the id `after`. Returns where to continue. */
export async function clearInBatches(
  rows: Pick<AddressRows, "clearAddresses">,
  { after, before }: { after: string; before: Date },
  signal?: AbortSignal,
): Promise<{ cleared: number; last: string }> {
  let [total, position] = [0, after];
  while (!signal?.aborted) {
    const { cleared, last } = await rows.clearAddresses({ after: position, before, limit: ADDRESS_BATCH_SIZE });
    total += cleared;
    if (last === undefined) break;
    position = last;
  }
  return { cleared: total, last: position };
}
