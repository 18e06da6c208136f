import { createReadStream } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { BuildCheck } from "@dbdepot/contract/operator/build-check";
import type { BuildUpload, PublishedBuild } from "@dbdepot/contract/operator/builds";
import { type ByFileKind, FILE_KINDS, type FileKind } from "@dbdepot/contract/shared/formats";
import { type RemoteDepot, Unreachable } from "./depot.ts";

const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 500;

export interface RemotePublication {
  versionId: string;
  document: Buffer;
  files: ByFileKind<{ path: string; sizeBytes: number }>;
  recompress: boolean | undefined;
  force: boolean;
  keep: number | undefined;
  onBytes(count: number): void;
  /** Stops the publication until the last file is sent; everything is discarded then. */
  signal: AbortSignal;
}

/** Does the same as `publishFiles`, on another server. An interrupted upload is resumed. */
export function publishRemotely(depot: RemoteDepot, publication: RemotePublication): Promise<PublishedBuild> {
  const { force, keep } = publication;
  return withUploadedFiles(depot, publication, (path) => {
    const options = Buffer.from(JSON.stringify({ force, ...(keep !== undefined && { keep }) }));
    const body = { bytes: iterate(options), sizeBytes: options.length };
    return depot.send({ method: "POST", path: `${path}/publish`, body, contentType: "application/json" });
  });
}

/** Does the same as `checkFiles`, on another server. */
export function checkRemotely(depot: RemoteDepot, publication: RemotePublication): Promise<BuildCheck> {
  return withUploadedFiles(depot, publication, async (path) => {
    let check = await depot.send<BuildCheck>({ method: "GET", path: `${path}/check` });
    while (check.comparison?.state === "pending") {
      await delay(FIRST_DELAY_MS, undefined, { signal: publication.signal });
      check = await depot.send({ method: "GET", path: `${path}/check` });
    }
    await depot.send({ method: "POST", path: `${path}/discard` });
    return check;
  });
}

async function withUploadedFiles<T>(
  depot: RemoteDepot,
  publication: RemotePublication,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { versionId, document, files, signal } = publication;
  const begun = await depot.send<BuildUpload>({
    method: "POST",
    path: `/api/operator/builds?version=${encodeURIComponent(versionId)}`,
    body: { bytes: iterate(document), sizeBytes: document.length },
    contentType: "application/json",
  });
  const path = `/api/operator/builds/${begun.id}`;
  try {
    for (const kind of FILE_KINDS) {
      const file = files[kind];
      if (file) await sendFile(depot, path, kind, file, publication);
    }
    signal.throwIfAborted();
    return await use(path);
  } catch (error) {
    // The original error matters more. `builds sweep` on the server removes the rest of the upload.
    await depot.send({ method: "POST", path: `${path}/discard` }).catch(() => {});
    throw error;
  }
}

async function sendFile(
  depot: RemoteDepot,
  path: string,
  kind: FileKind,
  file: { path: string; sizeBytes: number },
  { recompress, onBytes, signal }: RemotePublication,
): Promise<void> {
  let sentBytes = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const offset = attempt === 1 ? 0 : await receivedBytes(depot, path, kind);
      if (offset === undefined) return;
      // Bytes that were sent but did not arrive are sent again and counted once.
      onBytes(offset - sentBytes);
      sentBytes = offset;
      const bytes = counted(createReadStream(file.path, { start: offset }), (count) => {
        sentBytes += count;
        onBytes(count);
      });
      const body = { bytes, sizeBytes: file.sizeBytes - offset };
      const query = `offset=${offset}${recompress === undefined ? "" : `&recompress=${recompress}`}`;
      await depot.send({ method: "PUT", path: `${path}/files/${kind}?${query}`, body, signal });
      return;
    } catch (error) {
      if (!(error instanceof Unreachable) || attempt === MAX_ATTEMPTS) throw error;
      await delay(FIRST_DELAY_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** Undefined if the file has arrived completely and only the response was lost. */
async function receivedBytes(depot: RemoteDepot, path: string, kind: FileKind): Promise<number | undefined> {
  const build = await depot.send<BuildUpload>({ method: "GET", path });
  return build.files[kind] ? undefined : (build.received[kind] ?? 0);
}

async function* iterate(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* counted(source: AsyncIterable<Buffer>, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    yield chunk;
    onBytes(chunk.length);
  }
}
