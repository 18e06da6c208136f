import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, open, realpath, rename, stat } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, extname, resolve } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Worker } from "node:worker_threads";
import { createGunzip } from "node:zlib";
import { syncDirectory } from "@dbdepot/formats/durable-files";
import type { Api } from "../api/api.ts";
import { checksums, streamRequest } from "../api/link.ts";
import type { Format } from "../api/wire.gen.ts";
import { abortedError, DbdepotError } from "../errors.ts";
import type { HttpResponse } from "../http/http.ts";
import { requireSpace } from "./disk-space.ts";
import type { Downloaded, DownloadMethod, DownloadOptions } from "./options.ts";
import { deleteAbandonedParts, deletePart, newPartPath, releasePart } from "./part-files.ts";
import type { PatchWork } from "./patch-worker.ts";
import { type FileRequest, findSize, type Source, type SourcePatch } from "./source.ts";
import { verifyFile } from "./verifier.ts";

/** A compressed copy is a patch from an empty file. */
export const EMPTY_SHA256 = createHash("sha256").digest("hex");

/** How much memory a process needs to apply a patch, besides the base of an mmdb. The tests of `@dbdepot/patches` verify it. */
const PATCH_MEMORY_BYTES = 200_000_000;

/**
 * The digest to send as `from`; undefined if no patch can be used. Without an earlier file, or the memory to patch it, an
 * mmdb may come compressed.
 */
export async function baseDigest(
  format: Format,
  o: Pick<DownloadOptions, "to" | "base" | "sample" | "deltas">,
): Promise<string | undefined> {
  if (typeof o.to !== "string" || o.sample || o.deltas === "never") return undefined;
  const path = o.base ?? o.to;
  try {
    const file = await stat(path);
    if (!file.isFile()) return undefined;
    if (!hasMemoryFor(format, file.size)) return format === "mmdb" ? EMPTY_SHA256 : undefined;
    const hash = createHash("sha256");
    await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
    return hash.digest("hex");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" && format === "mmdb" ? EMPTY_SHA256 : undefined;
  }
}

/** Exceeding the limit of a container would end the process, and the next run would try again. */
function hasMemoryFor(format: Format, sizeBytes: number): boolean {
  const neededBytes = PATCH_MEMORY_BYTES + (format === "mmdb" ? sizeBytes : 0);
  // Zero means that it is not limited.
  const limitBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return neededBytes <= Math.min(limitBytes, totalmem());
}

export function methodOf({ from }: { from: string }): DownloadMethod {
  return from === EMPTY_SHA256 ? "compressed" : "patch";
}

interface PatchRequest {
  file: FileRequest;
  source: Source & { patch: SourcePatch };
  to: string;
  options: DownloadOptions;
}

/**
 * Downloads a patch once, applies it next to the target, verifies the result like a whole file, and renames it over the
 * target. The patch is not trusted: the size and the digest of the result come from the manifest or the service's
 * checksums. Until the rename, the target is untouched.
 */
export async function downloadPatch(api: Api, { file, source, to, options }: PatchRequest): Promise<Downloaded> {
  const { format, signal } = file;
  const { patch, sha256, buildId } = source;
  const resultBytes = await resultSize(api, file, source, options);
  if (options.sha256 !== undefined && options.sha256 !== sha256) throw unusable("its result is not the signed file");
  if (patch.size_bytes >= resultBytes) throw unusable("it is not smaller than the file");
  // If the path is a symbolic link, keep the link and replace the file it points to.
  const target = await realpath(to).catch(() => resolve(to));
  const method = methodOf(patch);
  await deleteAbandonedParts(target);
  await requireSpace(target, patch.size_bytes + resultBytes);
  // The names differ from those of parts of whole files, which can be resumed.
  const patchPath = newPartPath(target, patch.sha256);
  const resultPath = newPartPath(target, createHash("sha256").update(`patched ${sha256}`).digest("hex"));
  try {
    const response = await fetchPatch(api, file, source);
    await receive(response, patchPath, patch, options);
    if (method === "compressed") {
      await decompress(patchPath, resultPath, resultBytes, signal);
    } else {
      const limits = { resultBytes, resultSha256: sha256 };
      await applyOnThread({ format, basePath: options.base ?? to, patchPath, resultPath, limits }, signal);
    }
    const verified = await verifyFile(resultPath, format);
    if (verified.sha256 !== sha256) throw unusable("its result is not the published file");
    if (verified.faults.length > 0) throw unusable(`its result is damaged: ${verified.faults.join("; ")}`);
    await replace(resultPath, target);
    releasePart(resultPath);
  } catch (error) {
    await deletePart(resultPath).catch(() => {});
    throw signal?.aborted ? abortedError() : error;
  } finally {
    await deletePart(patchPath).catch(() => {});
  }
  return {
    path: to,
    sizeBytes: resultBytes,
    sha256,
    buildId,
    resumedFromBytes: 0,
    method,
    transferredBytes: patch.size_bytes,
  };
}

/** Applies a patch on a thread of its own, because it takes seconds of CPU. */
async function applyOnThread(work: PatchWork, signal: AbortSignal | undefined): Promise<void> {
  const name = `./patch-worker${extname(import.meta.url)}`;
  const worker = new Worker(new URL(name, import.meta.url), { workerData: work });
  try {
    const [failure] = (await once(worker, "message", { ...(signal && { signal }) })) as [string | null];
    if (failure !== null) throw unusable(failure);
  } finally {
    // The thread must not write to files that are deleted next.
    await worker.terminate();
  }
}

/** Downloads a patch without applying it, for a mirror. */
export async function savePatch(
  api: Api,
  { file, source }: { file: FileRequest; source: Source },
  path: string,
): Promise<void> {
  const { patch } = source;
  if (!patch) throw unusable("the service no longer offers it");
  const draft = newPartPath(path, patch.sha256);
  try {
    await receive(await fetchPatch(api, file, { ...source, patch }), draft, patch, {});
    await replace(draft, path);
    releasePart(draft);
  } catch (error) {
    await deletePart(draft).catch(() => {});
    throw error;
  }
}

/** The size in the signed manifest or the metadata, or else the one that the service's checksums announce. */
async function resultSize(
  api: Api,
  file: FileRequest,
  source: PatchRequest["source"],
  options: DownloadOptions,
): Promise<number> {
  const { id, format, signal } = file;
  const { patch, sha256, buildId } = source;
  const announced = (await findSize(api, file, source, options)) ?? patch.result_size_bytes;
  if (announced !== undefined) return announced;
  const found = await checksums(api, id, format, { build: buildId ?? options.build, from: patch.from, signal });
  if (found.checksums.sha256 !== sha256 || !found.patch) throw unusable("a new build was published meanwhile");
  return found.patch.result_size_bytes;
}

async function fetchPatch(api: Api, file: FileRequest, { url, patch, buildId }: PatchRequest["source"]) {
  const { id, format, signal } = file;
  const headers = { "accept-encoding": "identity" };
  if (url !== null) return api.fetchFromStorage(url, headers, signal);
  const { path, query } = streamRequest(id, format, { build: buildId ?? undefined, from: patch.from });
  const response = await api.fetchFromService({ path, query, headers, signal });
  if (response.header("x-patch-from") === patch.from) return response;
  response.discard();
  throw unusable("the service sent something else");
}

/** Writes the body to a file. Stops at the announced size, however much the storage sends. */
async function receive(
  response: HttpResponse,
  path: string,
  { size_bytes: totalBytes, sha256 }: SourcePatch,
  { onProgress }: Pick<DownloadOptions, "onProgress">,
): Promise<void> {
  if (response.status !== 200) {
    response.discard();
    throw unusable(`it could not be downloaded (status ${response.status})`);
  }
  const hash = createHash("sha256");
  let receivedBytes = 0;
  const handle = await open(path, "wx", 0o600);
  try {
    for await (const chunk of response.chunks()) {
      receivedBytes += chunk.length;
      if (receivedBytes > totalBytes) throw unusable("it is larger than announced");
      hash.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
      onProgress?.({ receivedBytes, totalBytes, resumedFromBytes: 0 });
    }
  } finally {
    await handle.close();
  }
  if (receivedBytes < totalBytes) throw unusable("it is smaller than announced");
  if (hash.digest("hex") !== sha256) throw unusable("it does not have the announced digest");
}

async function decompress(from: string, to: string, maxBytes: number, signal: AbortSignal | undefined): Promise<void> {
  let sizeBytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      sizeBytes += chunk.length;
      done(sizeBytes > maxBytes ? unusable("its result is larger than announced") : null, chunk);
    },
  });
  const streams = [createReadStream(from), createGunzip(), limit, createWriteStream(to, { flags: "wx" })] as const;
  await pipeline(...streams, { ...(signal && { signal }) });
}

/** Syncs the content before the rename, and the rename before reporting success, so that both survive a power failure. */
async function replace(path: string, target: string): Promise<void> {
  const old = await stat(target).catch(() => undefined);
  await chmod(path, old?.isFile() ? old.mode & 0o7777 : 0o644);
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(path, target);
  // Some file systems cannot sync a directory.
  await syncDirectory(dirname(target)).catch(() => {});
}

function unusable(reason: string): DbdepotError {
  return new DbdepotError("corrupt", `the patch cannot be used: ${reason}`);
}
