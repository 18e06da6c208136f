import { pipeline, type Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";
import type { Metrics } from "../../monitoring/metrics.ts";
import type { ObjectStore } from "../../objects/store.ts";
import { Unavailable } from "../../primitives/faults.ts";
import { type TarFile, tarOf } from "../../transfers/tar.ts";
import { transfer } from "./transfer.ts";

/** Favours speed: the archive is made for every download. */
const GZIP_LEVEL = 1;

declare module "fastify" {
  interface FastifyReply {
    /**
     * Sends an object as gzip, or in a tar.gz if `tar` is given. `beforeSend` gets the status, also if the storage fails, and
     * is awaited before anything is sent. Ranges are not supported.
     */
    sendGzipped(
      object: { key: string; tar?: TarFile | undefined },
      beforeSend: (status: number) => Promise<void>,
    ): Promise<FastifyReply>;
  }
}

interface ArchiveSendingOptions {
  objects: ObjectStore;
  log: Logger;
  metrics: Metrics;
}

/** Adds `reply.sendGzipped`. */
export const archiveSending = fastifyPlugin<ArchiveSendingOptions>(async (app, { objects, log, metrics }) => {
  app.decorateReply(
    "sendGzipped",
    async function (
      this: FastifyReply,
      { key, tar }: { key: string; tar?: TarFile | undefined },
      beforeSend: (status: number) => Promise<void>,
    ) {
      let stream: Readable | undefined;
      try {
        if (this.request.method !== "HEAD") stream = await objects.read(key);
      } catch (error) {
        await beforeSend(error instanceof Unavailable ? 503 : 500);
        throw error;
      }
      try {
        await beforeSend(200);
      } catch (error) {
        stream?.destroy();
        throw error;
      }
      this.code(200).header("content-type", "application/gzip");
      return stream ? transfer(this, gzipped(stream, tar), Number.POSITIVE_INFINITY, { log, metrics }) : this.send();
    },
  );
});

/** Compresses in the thread pool. An error or the end of either stream destroys the other one. */
function gzipped(content: Readable, tar: TarFile | undefined): Readable {
  const gzip = createGzip({ level: GZIP_LEVEL, chunkSize: 64 * 1024 });
  const onEnd = () => {};
  if (tar) pipeline(content, (source) => tarOf(tar, source as AsyncIterable<Buffer>), gzip, onEnd);
  else pipeline(content, gzip, onEnd);
  return gzip;
}
