import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Logger } from "pino";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import type { ObjectStore } from "../../domain/builds/object-store.ts";
import { Unavailable } from "../../platform/primitives/faults.ts";
import { gzipped } from "../../platform/transfers/gzip.ts";
import { type TarFile, tarOf } from "../../platform/transfers/tar.ts";
import { transfer } from "./transfer.ts";

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
      if (!stream) return this.send();
      const content = tar ? tarOf(tar, stream) : stream;
      return transfer(this, gzipped(content), Number.POSITIVE_INFINITY, { log, metrics });
    },
  );
});
