/** The worker thread of inspections, one file after the other. It acknowledges each chunk once it has processed it. */
import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { Format } from "@dbdepot/contract/shared/formats";
import { MmdbStructureCheck } from "@dbdepot/formats/mmdb/structure-check";
import { CsvgzCheck } from "./csvgz-check.ts";
import type { InspectedFile } from "./report.ts";

interface FileStart {
  format: Format;
  buffers: SharedArrayBuffer[];
}

export type ToWorker = FileStart | { buffer: number; lengthBytes: number } | "end";
export type FromWorker = { opened: true } | { doneWith: number } | { result: Omit<InspectedFile, "sizeBytes"> };

let file: ReturnType<typeof openFile> | undefined;
let work = Promise.resolve();

parentPort?.on("message", (message: ToWorker) => {
  // Some work is asynchronous, but chunks must be handled in order.
  work = work.then(async () => {
    parentPort?.postMessage(await handle(message));
  });
});

async function handle(message: ToWorker): Promise<FromWorker> {
  if (message !== "end" && "format" in message) {
    file = openFile(message);
    return { opened: true };
  }
  if (!file) throw new Error("no file is being inspected");
  const { hashes, check, buffers } = file;
  if (message === "end") {
    file = undefined;
    return { result: { checksums: digests(hashes), report: await check.end() } };
  }
  const { buffer, lengthBytes } = message;
  const chunk = Buffer.from(buffers[buffer] as SharedArrayBuffer, 0, lengthBytes);
  for (const hash of Object.values(hashes)) hash.update(chunk);
  await check.update(chunk);
  return { doneWith: buffer };
}

function openFile({ format, buffers }: FileStart) {
  const hashes = {
    md5: createHash("md5"),
    sha1: createHash("sha1"),
    sha256: createHash("sha256"),
    sha512: createHash("sha512"),
  };
  return { hashes, check: format === "mmdb" ? new MmdbStructureCheck() : new CsvgzCheck(), buffers };
}

function digests({ md5, sha1, sha256, sha512 }: ReturnType<typeof openFile>["hashes"]) {
  return {
    md5: md5.digest("hex"),
    sha1: sha1.digest("hex"),
    sha256: sha256.digest("hex"),
    sha512: sha512.digest("hex"),
  };
}
