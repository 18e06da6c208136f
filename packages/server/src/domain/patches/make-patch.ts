import { extname } from "node:path";
import type { Format } from "@dbdepot/contract/shared/formats";
import { runInThread, type ThreadLimits } from "../../platform/runtime/limited-thread.ts";

/** The files of one patch, all of them local. */
export interface PatchWork {
  format: Format;
  /** Null for a compressed copy. */
  basePath: string | null;
  resultPath: string;
  patchPath: string;
  maxPatchBytes: number;
  resultBytes: number;
  resultSha256: string;
}

/** `dropped` says why the patch cannot be offered. */
export type FromPatchWorker = { sizeBytes: number; sha256: string } | { dropped: string };

export type MakePatch = (work: PatchWork, limits: ThreadLimits, signal: AbortSignal) => Promise<FromPatchWorker>;

/** Makes a patch on a thread of its own, because it takes seconds of CPU. Drops what exceeds the limits. */
export const makePatchInThread: MakePatch = async (work, limits, signal) => {
  const script = new URL(`./patch-worker${extname(import.meta.url)}`, import.meta.url);
  const made = await runInThread<FromPatchWorker>(script, work, limits, signal);
  return "exceeded" in made ? { dropped: `making it takes more than ${made.exceeded}` } : made;
};
