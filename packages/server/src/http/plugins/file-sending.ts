import type { Readable } from "node:stream";
import { FILE_TYPES, type FileKind, fileName, formatOf } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import type { BuildFile, BuildSummary } from "../../domain/builds/build.ts";
import { type ByteRange, NoSuchObject, type ObjectStore } from "../../domain/builds/object-store.ts";
import { Unavailable } from "../../platform/primitives/faults.ts";
import { parseRange } from "../../platform/transfers/byte-range.ts";
import type { HandOver } from "../../platform/transfers/hand-over.ts";
import { allowsRange, evaluatePreconditions } from "../../platform/transfers/preconditions.ts";
import { sendError } from "../errors.ts";
import { transfer } from "./transfer.ts";

export interface DatabaseFile {
  build: BuildSummary;
  file: BuildFile;
  kind: FileKind;
}

declare module "fastify" {
  interface FastifyReply {
    /**
     * Sends the file, or the range of it that the client asked for. `beforeSend` gets the status, also if the
     * storage fails, and is awaited before anything is sent.
     */
    sendDatabaseFile(file: DatabaseFile, beforeSend: (status: number) => Promise<void>): Promise<FastifyReply>;
  }
}

interface FileSendingOptions {
  objects: ObjectStore;
  log: Logger;
  handOver: HandOver | undefined;
  metrics: Metrics;
}

/** Adds `reply.sendDatabaseFile`. */
export const fileSending = fastifyPlugin<FileSendingOptions>(async (app, { objects, log, handOver, metrics }) => {
  app.decorateReply(
    "sendDatabaseFile",
    async function (
      this: FastifyReply,
      { build, file, kind }: DatabaseFile,
      beforeSend: (status: number) => Promise<void>,
    ) {
      const { status, range } = evaluate(this, build, file);
      const proxyHeader = status < 300 ? handOver?.(this.request.raw, file.objectKey, range !== undefined) : undefined;
      const sendsBytes = status < 300 && !proxyHeader && this.request.method !== "HEAD";
      let stream: Readable | undefined;
      try {
        if (sendsBytes) stream = await objects.read(file.objectKey, range);
        else if (proxyHeader && !(await objects.stat(file.objectKey))) throw new NoSuchObject(file.objectKey);
      } catch (error) {
        await beforeSend(error instanceof Unavailable ? 503 : 500);
        throw error;
      }
      try {
        await beforeSend(status);
      } catch (error) {
        stream?.destroy();
        throw error;
      }
      if (status === 412) return sendError(this, "PRECONDITION_FAILED");
      if (status === 416) {
        return sendError(this.header("content-range", `bytes */${file.sizeBytes}`), "RANGE_NOT_SATISFIABLE");
      }
      this.code(status)
        .headers(fileHeaders(build, file))
        .header("last-modified", publishedAt(build).toUTCString())
        .header("cache-control", "private, no-cache");
      if (status === 304) return this.header("accept-ranges", "bytes").send();
      this.header("content-type", FILE_TYPES[formatOf(kind)].contentType).header(
        "content-disposition",
        `attachment; filename="${fileName(build.versionId, kind)}"`,
      );
      // The proxy selects the range and adds the status and the headers that depend on it.
      if (proxyHeader) return this.code(200).headers(proxyHeader).send();
      this.header("accept-ranges", "bytes");
      if (range) this.header("content-range", `bytes ${range.first}-${range.last}/${file.sizeBytes}`);
      const lengthBytes = range ? range.last - range.first + 1 : file.sizeBytes;
      this.header("content-length", lengthBytes);
      if (!stream) return this.send();
      return transfer(this, stream, lengthBytes, { log, metrics });
    },
  );
});

/** What lets a client verify the file, whether it comes from the API or from a link. */
export function fileHeaders(build: BuildSummary, { checksums: { sha256 } }: BuildFile): Record<string, string> {
  return {
    etag: etagOf(sha256),
    "x-build-id": build.id,
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
  };
}

/** The status of the response; `range` is undefined if the whole file is sent. */
function evaluate(reply: FastifyReply, build: BuildSummary, file: BuildFile): { status: number; range?: ByteRange } {
  const { headers } = reply.request;
  const validators = { etag: etagOf(file.checksums.sha256), modified: publishedAt(build) };
  const condition = evaluatePreconditions(headers, validators);
  if (condition !== "send") return { status: condition === "not_modified" ? 304 : 412 };
  const range = allowsRange(headers, validators) ? parseRange(headers.range, file.sizeBytes) : "whole";
  if (range === "unsatisfiable") return { status: 416 };
  return range === "whole" ? { status: 200 } : { status: 206, range };
}

function etagOf(sha256: string): string {
  return `"${sha256}"`;
}

export function publishedAt(build: BuildSummary): Date {
  return build.published ?? build.created;
}
