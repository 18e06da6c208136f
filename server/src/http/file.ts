import { pipeline } from "node:stream/promises";
import { FILE_TYPES, type Format, fileName } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../builds/build.ts";
import { parseRange } from "../byte-range.ts";
import type { ByteRange, ObjectStore } from "../objects/store.ts";
import { isRangeMeant, judgePreconditions } from "../preconditions.ts";
import { sendError } from "./errors.ts";
import type { Reply } from "./reply.ts";
import type { Request } from "./request.ts";

export interface DatabaseFile {
  build: Build;
  file: BuildFile;
  format: Format;
}

const headersOfFiles = new WeakMap<BuildFile, Record<string, string>>();

/** What lets a client verify what it fetched, wherever the bytes come from. */
export function fileHeaders(build: Build, file: BuildFile): Readonly<Record<string, string>> {
  let headers = headersOfFiles.get(file);
  if (!headers) {
    const { sha256 } = file.checksums;
    headers = {
      etag: `"${sha256}"`,
      "x-build-id": build.id,
      "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
    };
    headersOfFiles.set(file, headers);
  }
  return headers;
}

/**
 * Sends the file from storage in constant memory: whole, or the one range that was asked
 * for. `onStatus` is awaited before anything leaves.
 */
export async function sendFile(
  objects: ObjectStore,
  request: Request,
  reply: Reply,
  { build, file, format }: DatabaseFile,
  onStatus: (status: number) => Promise<void>,
): Promise<Reply> {
  const { sizeBytes } = file;
  const answer = judge(request, build, file);
  await onStatus(answer.status);
  if (answer.status === 412) return sendError(reply, "PRECONDITION_FAILED");
  if (answer.status === 416) {
    return sendError(reply.header("content-range", `bytes */${sizeBytes}`), "RANGE_NOT_SATISFIABLE");
  }
  reply
    .code(answer.status)
    .headers(fileHeaders(build, file))
    .header("last-modified", modified(build).toUTCString())
    .header("accept-ranges", "bytes")
    .header("cache-control", "private, no-cache");
  if (!answer.sends) return reply.send();
  const { first, last } = answer.sends;
  if (answer.status === 206) reply.header("content-range", `bytes ${first}-${last}/${sizeBytes}`);
  reply
    .header("content-type", FILE_TYPES[format].contentType)
    .header("content-disposition", `attachment; filename="${fileName(build.versionId, format)}"`)
    .header("content-length", last - first + 1);
  if (request.method === "HEAD") return reply.send();
  return transfer(objects, reply, file, answer.status === 206 ? answer.sends : undefined);
}

async function transfer(
  objects: ObjectStore,
  reply: Reply,
  file: BuildFile,
  range: ByteRange | undefined,
): Promise<Reply> {
  const body = await objects.read(file.objectKey, range).catch((error) => {
    // The error response must not carry the file's headers.
    reply.forgetHeaders();
    throw error;
  });
  try {
    await pipeline(body, reply.begin());
  } catch {
    // Once the headers are out, only a cut connection tells the client that the file is incomplete.
    reply.cut();
  } finally {
    // A pipeline into a response that is already closed leaves its source open.
    body.destroy();
  }
  return reply;
}

function judge(request: Request, build: Build, file: BuildFile): { status: number; sends?: ByteRange } {
  const { headers } = request;
  const validators = { etag: fileHeaders(build, file).etag ?? "", modified: modified(build) };
  const condition = judgePreconditions(headers, validators);
  if (condition !== "send") return { status: condition === "not_modified" ? 304 : 412 };
  const range = isRangeMeant(headers, validators) ? parseRange(headers.range, file.sizeBytes) : "whole";
  if (range === "unsatisfiable") return { status: 416 };
  return range === "whole"
    ? { status: 200, sends: { first: 0, last: file.sizeBytes - 1 } }
    : { status: 206, sends: range };
}

function modified(build: Build): Date {
  return build.published ?? build.created;
}
