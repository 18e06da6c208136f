/** Makes one patch, applies it, compares the result with the published file, and posts what it found. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { parentPort, workerData } from "node:worker_threads";
import { constants, createGunzip, createGzip } from "node:zlib";
import { applyPatch, makePatch, PatchError } from "@dbdepot/patches";
import type { FromPatchWorker, PatchWork } from "./make-patch.ts";

const work = workerData as PatchWork;
const aborted = new AbortController();
parentPort?.once("message", () => aborted.abort());

try {
  const { basePath, patchPath, checkPath, maxPatchBytes, resultBytes, resultSha256 } = work;
  const { signal } = aborted;
  if (basePath === null) {
    await pipeline(
      createReadStream(work.resultPath),
      createGzip({ level: constants.Z_BEST_COMPRESSION }),
      createWriteStream(patchPath),
      { signal },
    );
    await pipeline(createReadStream(patchPath), createGunzip(), createWriteStream(checkPath), { signal });
  } else {
    await makePatch(work.format, basePath, work.resultPath, patchPath, { maxPatchBytes, signal });
    await applyPatch(work.format, basePath, patchPath, checkPath, { resultBytes, resultSha256, signal });
  }
  post(await verdict());
} catch (error) {
  // The job is tried again after a failure of the disk.
  if (!(error instanceof PatchError) || error.code === "io" || error.code === "aborted") throw error;
  post({ dropped: error.message });
}

async function verdict(): Promise<FromPatchWorker> {
  const { size: sizeBytes } = await stat(work.patchPath);
  if (sizeBytes > work.maxPatchBytes) return { dropped: "it saves too few bytes" };
  // Customers never get a patch that has not been seen to work.
  if ((await sha256Of(work.checkPath)) !== work.resultSha256)
    return { dropped: "its result is not the published file" };
  return { sizeBytes, sha256: await sha256Of(work.patchPath) };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Ends the thread, too: nothing else keeps it running. */
function post(message: FromPatchWorker): void {
  parentPort?.postMessage(message);
  parentPort?.close();
}
