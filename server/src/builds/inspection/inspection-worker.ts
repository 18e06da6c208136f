/** The worker thread of an inspection. It acknowledges each chunk once it has processed it. */
import { createHash } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import type { Format } from "@dbdepot/contract/formats";
import { MmdbStructureCheck } from "@dbdepot/mmdb/structure-check";
import { CsvgzCheck } from "./csvgz-check.ts";
import type { InspectedFile } from "./report.ts";

export interface WorkerTask {
  format: Format;
  buffers: SharedArrayBuffer[];
}

export type ToWorker = { buffer: number; lengthBytes: number } | "end";
export type FromWorker = { doneWith: number } | { result: Omit<InspectedFile, "sizeBytes"> };

const { format, buffers } = workerData as WorkerTask;
const hashes = {
  md5: createHash("md5"),
  sha1: createHash("sha1"),
  sha256: createHash("sha256"),
  sha512: createHash("sha512"),
};
const check = format === "mmdb" ? new MmdbStructureCheck() : new CsvgzCheck();
let work = Promise.resolve();

parentPort?.on("message", (message: ToWorker) => {
  // Some work is asynchronous, but chunks must be handled in order.
  work = work.then(async () => parentPort?.postMessage(await handle(message)));
});

async function handle(message: ToWorker): Promise<FromWorker> {
  if (message === "end") return { result: { checksums: digests(), report: await check.end() } };
  const { buffer, lengthBytes } = message;
  const chunk = Buffer.from(buffers[buffer] as SharedArrayBuffer, 0, lengthBytes);
  for (const hash of Object.values(hashes)) hash.update(chunk);
  await check.update(chunk);
  return { doneWith: buffer };
}

function digests() {
  const { md5, sha1, sha256, sha512 } = hashes;
  return {
    md5: md5.digest("hex"),
    sha1: sha1.digest("hex"),
    sha256: sha256.digest("hex"),
    sha512: sha512.digest("hex"),
  };
}
