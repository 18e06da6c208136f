import { FILE_TYPES, type Format, fileName } from "@dbdepot/contract/formats";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Build, BuildFile } from "../builds/build.ts";
import { type RangeAnswer, requestedRange } from "../byte-range.ts";
import { isUnchanged } from "../conditional.ts";
import type { ObjectStore } from "../objects/store.ts";

export interface DatabaseFile {
  build: Build;
  file: BuildFile;
  format: Format;
}

/** What lets a client verify what it fetched, wherever the bytes come from. */
export function fileHeaders(build: Build, file: BuildFile): Record<string, string> {
  return {
    etag: etagOf(file),
    "x-build-id": build.id,
    "repr-digest": `sha-256=:${Buffer.from(file.checksums.sha256, "hex").toString("base64")}:`,
  };
}

/**
 * Sends the file from storage in constant memory: whole, or the one range that was asked
 * for. `onStatus` is awaited before anything leaves.
 */
export async function sendFile(
  objects: ObjectStore,
  request: FastifyRequest,
  reply: FastifyReply,
  { build, file, format }: DatabaseFile,
  onStatus: (status: number) => Promise<void>,
): Promise<FastifyReply> {
  const modified = build.published ?? build.created;
  reply
    .headers(fileHeaders(build, file))
    .header("last-modified", modified.toUTCString())
    .header("accept-ranges", "bytes")
    .header("cache-control", "private, no-cache");
  const isCurrent = isUnchanged(request.headers, etagOf(file), modified);
  const range: RangeAnswer = isCurrent
    ? { kind: "whole" }
    : requestedRange(request.headers, file.sizeBytes, etagOf(file), modified);
  const status = isCurrent ? 304 : STATUS_OF_RANGE[range.kind];
  await onStatus(status);
  reply.code(status);
  if (isCurrent) return reply.send();
  if (range.kind === "unsatisfiable") return reply.header("content-range", `bytes */${file.sizeBytes}`).send();
  const { first, last } = range.kind === "part" ? range : { first: 0, last: file.sizeBytes - 1 };
  if (range.kind === "part") reply.header("content-range", `bytes ${first}-${last}/${file.sizeBytes}`);
  reply
    .header("content-type", FILE_TYPES[format].contentType)
    .header("content-disposition", `attachment; filename="${fileName(build.versionId, format)}"`)
    .header("content-length", last - first + 1);
  if (request.method === "HEAD" || file.sizeBytes === 0) return reply.send();
  const body = await objects.read(file.objectKey, range.kind === "part" ? { first, last } : undefined);
  return reply.send(body);
}

const STATUS_OF_RANGE = { whole: 200, part: 206, unsatisfiable: 416 } as const;

function etagOf(file: BuildFile): string {
  return `"${file.checksums.sha256}"`;
}
