import { createReadStream } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type ByFormat, FORMATS, type Format } from "@dbdepot/contract/formats";
import type { BuildUpload, PublishedBuild } from "@dbdepot/contract/operator-answers";
import { type RemoteDepot, Unreachable } from "./depot.ts";

const TRIES = 5;
const FIRST_PAUSE_MS = 500;

export interface RemotePublication {
  versionId: string;
  document: Buffer;
  files: ByFormat<{ path: string; sizeBytes: number }>;
  force: boolean;
  keep: number | undefined;
  onBytes(count: number): void;
  /** Stops the publication until the last file is sent; everything is discarded then. */
  signal: AbortSignal;
}

/** As `publishFiles`, on another machine's dbdepot. A file whose sending breaks off goes on from where it was. */
export async function publishRemotely(depot: RemoteDepot, publication: RemotePublication): Promise<PublishedBuild> {
  const { versionId, document, files, force, keep, signal } = publication;
  const begun = await depot.ask<BuildUpload>({
    method: "POST",
    path: `/api/operator/builds?version=${encodeURIComponent(versionId)}`,
    body: { bytes: iterate(document), sizeBytes: document.length },
    contentType: "application/json",
  });
  const path = `/api/operator/builds/${begun.id}`;
  try {
    for (const format of FORMATS) {
      const file = files[format];
      if (file) await sendFile(depot, path, format, file, publication);
    }
    signal.throwIfAborted();
    const wish = Buffer.from(JSON.stringify({ force, ...(keep !== undefined && { keep }) }));
    const body = { bytes: iterate(wish), sizeBytes: wish.length };
    return await depot.ask({ method: "POST", path: `${path}/publish`, body, contentType: "application/json" });
  } catch (error) {
    // What cannot be taken back now, the other side's sweep removes.
    await depot.ask({ method: "POST", path: `${path}/discard` }).catch(() => {});
    throw error;
  }
}

async function sendFile(
  depot: RemoteDepot,
  path: string,
  format: Format,
  file: { path: string; sizeBytes: number },
  { onBytes, signal }: RemotePublication,
): Promise<void> {
  let sentBytes = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const offset = attempt === 1 ? 0 : await receivedBytes(depot, path, format);
      if (offset === undefined) return;
      // What was sent but did not arrive is sent again, and counted once.
      onBytes(offset - sentBytes);
      sentBytes = offset;
      const bytes = counted(createReadStream(file.path, { start: offset }), (count) => {
        sentBytes += count;
        onBytes(count);
      });
      const body = { bytes, sizeBytes: file.sizeBytes - offset };
      await depot.ask({ method: "PUT", path: `${path}/files/${format}?offset=${offset}`, body, signal });
      return;
    } catch (error) {
      if (!(error instanceof Unreachable) || attempt === TRIES) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}

/** Undefined when the file is there, whole: only the answer was lost. */
async function receivedBytes(depot: RemoteDepot, path: string, format: Format): Promise<number | undefined> {
  const build = await depot.ask<BuildUpload>({ method: "GET", path });
  return build.files[format] ? undefined : (build.received[format] ?? 0);
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
