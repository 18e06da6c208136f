/** Makes one patch, which includes applying it, compares the result with the published file, and posts what it found. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { parentPort, workerData } from "node:worker_threads";
import { constants, createGunzip, createGzip } from "node:zlib";
import { makePatch, PatchError } from "@dbdepot/patches";
import type { FromPatchWorker, PatchWork } from "./make-patch.ts";

const work = workerData as PatchWork;
const aborted = new AbortController();
parentPort?.once("message", () => aborted.abort());

try {
  const { format, basePath, resultPath, patchPath, maxPatchBytes } = work;
  const { signal } = aborted;
  let resultSha256: string;
  if (basePath === null) {
    await pipeline(
      createReadStream(resultPath),
      createGzip({ level: constants.Z_BEST_COMPRESSION }),
      createWriteStream(patchPath),
      { signal },
    );
    const hash = createHash("sha256");
    await pipeline(createReadStream(patchPath), createGunzip(), hash, { signal });
    resultSha256 = hash.digest("hex");
  } else {
    ({ resultSha256 } = await makePatch(format, basePath, resultPath, patchPath, { maxPatchBytes, signal }));
  }
  post(await verdict(resultSha256));
} catch (error) {
  // The job is tried again after a failure of the disk.
  if (!(error instanceof PatchError) || error.code === "io" || error.code === "aborted") throw error;
  post({ dropped: error.code === "too_large" ? tooLarge() : error.message });
}

async function verdict(resultSha256: string): Promise<FromPatchWorker> {
  const { size: sizeBytes } = await stat(work.patchPath);
  if (sizeBytes > work.maxPatchBytes) return { dropped: tooLarge() };
  // Customers never get a patch that has not been seen to work.
  if (resultSha256 !== work.resultSha256) return { dropped: "its result is not the published file" };
  return { sizeBytes, sha256: await sha256Of(work.patchPath) };
}

function tooLarge(): string {
  return `it would be larger than ${Math.round((100 * work.maxPatchBytes) / work.resultBytes)} % of the file`;
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
