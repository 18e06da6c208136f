import type { ApplyLimits } from "./verified.ts";

/** The parts in which the kinds of patches differ. */
export interface Codec {
  /** Yields the body of a patch, not yet compressed. */
  body(basePath: string, resultPath: string, signal: AbortSignal | undefined): AsyncIterable<Buffer>;
  /** No valid patch has a longer body. */
  maxBodyBytes(resultBytes: number): number;
  /** Passes the result to `write`, again if it has to be made in another way. */
  apply(basePath: string, patchPath: string, limits: ApplyLimits, write: WriteResult): Promise<void>;
}

export type WriteResult = (chunks: AsyncIterable<Uint8Array>) => Promise<void>;
