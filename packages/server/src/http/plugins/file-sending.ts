import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { FILE_TYPES, type FileKind, fileName, formatOf } from "@dbdepot/contract/shared/formats";
import { type ByteRange, parseRange } from "@dbdepot/formats/transfers/byte-range";
import { gzipped } from "@dbdepot/formats/transfers/gzip";
import { allowsRange, evaluatePreconditions } from "@dbdepot/formats/transfers/preconditions";
import { ClientDisconnected, sendStream } from "@dbdepot/formats/transfers/send-stream";
import { type TarFile, tarOf } from "@dbdepot/formats/transfers/tar";
import type { FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import type { BuildFile, BuildSummary } from "../../domain/builds/build.ts";
import { type HandOver, NoSuchObject, type ObjectStore } from "../../domain/builds/object-store.ts";
import type { OfferedPatch } from "../../domain/patches/patch.ts";
import type { DelayedWrites } from "../../platform/primitives/delayed-writes.ts";
import { Unavailable } from "../../platform/primitives/faults.ts";
import { sendError } from "../errors.ts";

export interface DatabaseFile {
  build: BuildSummary;
  file: BuildFile;
  kind: FileKind;
  /** Sent instead of the file. */
  patch?: OfferedPatch | undefined;
}

interface GzippedObject {
  key: string;
  tar?: TarFile | undefined;
}

/** Gets the status and how many bytes will be sent; undefined if that is not known yet. */
type BeforeSend = (status: number, lengthBytes: number | undefined) => Promise<void>;

declare module "fastify" {
  interface FastifyReply {
    /**
     * Sends the file or its patch, or the range of it that the client asked for. `beforeSend` is called also if the storage
     * fails, and is awaited before anything is sent.
     */
    sendDatabaseFile(file: DatabaseFile, beforeSend: BeforeSend): Promise<FastifyReply>;
    /** Sends an object as gzip, or in a tar.gz if `tar` is given, in the same way. Ranges are not supported. */
    sendGzipped(object: GzippedObject, beforeSend: BeforeSend): Promise<FastifyReply>;
    /** Sends changed rows in the same way. `open` is not called for a HEAD request. */
    sendRows(open: () => Readable, beforeSend: BeforeSend): Promise<FastifyReply>;
  }
}

interface FileSendingOptions {
  objects: ObjectStore;
  log: Logger;
  handOver: HandOver | undefined;
  metrics: Metrics;
  /** Learns how much was sent of a stream if that differs from what `beforeSend` got. */
  sentBytes: Pick<DelayedWrites<number>, "note">;
  /** How long a client may take to receive a chunk of changed rows. */
  rowsTimeoutMs: number;
}

type Transfer = Pick<FileSendingOptions, "log" | "metrics" | "sentBytes"> & {
  content: "file" | "patch" | "rows";
  chunkTimeoutMs?: number;
};

/** Adds `reply.sendDatabaseFile`, `reply.sendGzipped` and `reply.sendRows`. */
export const fileSending = fastifyPlugin<FileSendingOptions>(async (app, options) => {
  const { objects, handOver } = options;
  app.decorateReply(
    "sendDatabaseFile",
    async function (this: FastifyReply, sent: DatabaseFile, beforeSend: BeforeSend) {
      const { objectKey, sizeBytes } = sent.patch?.file ?? sent.file;
      const { status, range } = evaluate(this.request, sent);
      const proxyHeader = status < 300 ? handOver?.(this.request.raw, objectKey, range !== undefined) : undefined;
      const isHead = this.request.method === "HEAD";
      const sendsBytes = status < 300 && !proxyHeader && !isHead;
      const lengthBytes = range ? range.last - range.first + 1 : sizeBytes;
      const plannedBytes = status < 300 && !isHead ? lengthBytes : 0;
      const stream = await openBefore(beforeSend, { status, plannedBytes }, async () => {
        if (sendsBytes) return objects.read(objectKey, range);
        if (proxyHeader && !(await objects.stat(objectKey))) throw new NoSuchObject(objectKey);
        return undefined;
      });
      if (status === 412) return sendError(this, "PRECONDITION_FAILED");
      if (status === 416) {
        return sendError(this.header("content-range", `bytes */${sizeBytes}`), "RANGE_NOT_SATISFIABLE");
      }
      this.code(status)
        .headers(fileHeaders(sent))
        .header("last-modified", publishedAt(sent.build).toUTCString())
        .header("cache-control", "private, no-cache");
      if (status === 304) return this.header("accept-ranges", "bytes").send();
      const { contentType, filename } = namesOf(sent);
      this.header("content-type", contentType).header("content-disposition", `attachment; filename="${filename}"`);
      // The proxy selects the range and adds the status and the headers that depend on it.
      if (proxyHeader) return this.code(200).headers(proxyHeader).send();
      this.header("accept-ranges", "bytes");
      if (range) this.header("content-range", `bytes ${range.first}-${range.last}/${sizeBytes}`);
      this.header("content-length", lengthBytes);
      if (!stream) return this.send();
      return transfer(this, stream, lengthBytes, { ...options, content: sent.patch ? "patch" : "file" });
    },
  );

  app.decorateReply(
    "sendGzipped",
    async function (this: FastifyReply, { key, tar }: GzippedObject, beforeSend: BeforeSend) {
      const isHead = this.request.method === "HEAD";
      const plannedBytes = isHead ? 0 : undefined;
      const stream = await openBefore(beforeSend, { status: 200, plannedBytes }, async () =>
        isHead ? undefined : objects.read(key),
      );
      this.code(200).header("content-type", "application/gzip");
      if (!stream) return this.send();
      const content = tar ? tarOf(tar, stream) : stream;
      return transfer(this, gzipped(content), Number.POSITIVE_INFINITY, { ...options, content: "file" });
    },
  );

  app.decorateReply("sendRows", async function (this: FastifyReply, open: () => Readable, beforeSend: BeforeSend) {
    const isHead = this.request.method === "HEAD";
    await beforeSend(200, isHead ? 0 : undefined);
    this.code(200);
    if (isHead) return this.send();
    return transfer(this, open(), Number.POSITIVE_INFINITY, {
      ...options,
      content: "rows",
      chunkTimeoutMs: options.rowsTimeoutMs,
    });
  });
});

/** Opens the stream and calls `beforeSend`, with the status of the failure if it could not be opened. */
async function openBefore(
  beforeSend: BeforeSend,
  { status, plannedBytes }: { status: number; plannedBytes: number | undefined },
  open: () => Promise<Readable | undefined>,
): Promise<Readable | undefined> {
  let stream: Readable | undefined;
  try {
    stream = await open();
  } catch (error) {
    await beforeSend(error instanceof Unavailable ? 503 : 500, 0);
    throw error;
  }
  try {
    await beforeSend(status, plannedBytes);
  } catch (error) {
    stream?.destroy();
    throw error;
  }
  return stream;
}

/** Sends a stream as the body of a response whose status and headers are set. `lengthBytes` is Infinity if it is unknown. */
async function transfer(
  reply: FastifyReply,
  stream: Readable,
  lengthBytes: number,
  { log, metrics, sentBytes, content, chunkTimeoutMs }: Transfer,
): Promise<FastifyReply> {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  metrics.transfersActive.inc({ server: "api" });
  let totalBytes = 0;
  try {
    const onSent = (bytes: number) => {
      totalBytes += bytes;
      metrics.transferBytes.inc({ server: "api", content }, bytes);
    };
    await sendStream(stream, reply.raw, lengthBytes, { onSent, chunkTimeoutMs });
  } catch (error) {
    if (!(error instanceof ClientDisconnected))
      log.error({ request_id: reply.request.id, err: error }, "a transfer failed");
  } finally {
    metrics.transfersActive.dec({ server: "api" });
    // The attempt has the id of the request.
    if (totalBytes !== lengthBytes) sentBytes.note(reply.request.id, totalBytes);
  }
  return reply;
}

/**
 * Headers with which a client can verify the file, whether it comes from the API or from a link. The digest of a patch
 * is that of its result, which is what the client has to verify in the end.
 */
export function fileHeaders({ build, file, patch }: DatabaseFile): Record<string, string> {
  return {
    etag: etagOf(patch?.file ?? file.checksums),
    "x-build-id": build.id,
    "repr-digest": `sha-256=:${Buffer.from(file.checksums.sha256, "hex").toString("base64")}:`,
    ...(patch && {
      "x-patch-from": patch.baseSha256,
      "x-patch-sha256": patch.file.sha256,
      "x-patch-size": String(patch.file.sizeBytes),
    }),
  };
}

/** The name under which the client saves what is sent, and its type. */
export function namesOf({ build, kind, patch }: DatabaseFile): { filename: string; contentType: string } {
  const filename = fileName(build.versionId, kind);
  if (patch) return { filename: `${filename}.patch`, contentType: "application/octet-stream" };
  return { filename, contentType: FILE_TYPES[formatOf(kind)].contentType };
}

export interface PlannedResponse {
  status: number;
  bytes: number;
  /** Whether a part of the file is sent that begins with its first byte. */
  fromStart: boolean;
}

/** How `sendDatabaseFile` will respond, unless the storage fails. */
export function plannedResponse(request: FastifyRequest, sent: DatabaseFile): PlannedResponse {
  const { status, range } = evaluate(request, sent);
  const fromStart = range?.first === 0;
  if (status >= 300 || request.method === "HEAD") return { status, bytes: 0, fromStart };
  const bytes = range ? range.last - range.first + 1 : (sent.patch?.file ?? sent.file).sizeBytes;
  return { status, bytes, fromStart };
}

/** The status of the response; `range` is undefined if the whole file is sent. */
function evaluate(
  { headers }: FastifyRequest,
  { build, file, patch }: DatabaseFile,
): { status: number; range?: ByteRange } {
  const validators = { etag: etagOf(patch?.file ?? file.checksums), modified: publishedAt(build) };
  const condition = evaluatePreconditions(headers, validators);
  if (condition !== "send") return { status: condition === "not_modified" ? 304 : 412 };
  const range = allowsRange(headers, validators) ? parseRange(headers.range, (patch?.file ?? file).sizeBytes) : "whole";
  if (range === "unsatisfiable") return { status: 416 };
  return range === "whole" ? { status: 200 } : { status: 206, range };
}

function etagOf({ sha256 }: { sha256: string }): string {
  return `"${sha256}"`;
}

export function publishedAt(build: BuildSummary): Date {
  return build.published ?? build.created;
}
