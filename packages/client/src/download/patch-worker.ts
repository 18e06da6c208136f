/** Applies one patch, and posts why it failed, or null. */
import { parentPort, workerData } from "node:worker_threads";
import { type ApplyLimits, applyPatch, PatchError } from "@dbdepot/patches";
import type { Format } from "../api/wire.gen.ts";

export interface PatchWork {
  format: Format;
  basePath: string;
  patchPath: string;
  resultPath: string;
  limits: ApplyLimits;
}

const { format, basePath, patchPath, resultPath, limits } = workerData as PatchWork;
try {
  await applyPatch(format, basePath, patchPath, resultPath, limits);
  parentPort?.postMessage(null);
} catch (error) {
  if (!(error instanceof PatchError)) throw error;
  parentPort?.postMessage(error.message);
}
