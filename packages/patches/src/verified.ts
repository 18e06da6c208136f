import { createHash } from "node:crypto";
import { PatchError } from "./patch-error.ts";

/** The facts about the result from the manifest or the checksum endpoint. Never take them from the patch. */
export interface ApplyLimits {
  resultBytes: number;
  resultSha256: string;
  signal?: AbortSignal;
}

/** Passes the result on, up to the announced size, and fails at the end if its size or its digest differ. */
export async function* verified(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { resultBytes, resultSha256, signal }: ApplyLimits,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    signal?.throwIfAborted();
    sizeBytes += chunk.length;
    if (sizeBytes > resultBytes) {
      throw new PatchError("result_mismatch", `the patch writes more than the announced ${resultBytes} bytes`);
    }
    hash.update(chunk);
    yield chunk;
  }
  if (sizeBytes < resultBytes) {
    throw new PatchError("result_mismatch", `the patch writes ${sizeBytes} bytes instead of ${resultBytes}`);
  }
  if (hash.digest("hex") !== resultSha256) {
    throw new PatchError("result_mismatch", "the patched file does not have the announced digest");
  }
}

/** Consumes a stream only to see whether it fails. */
export async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}
