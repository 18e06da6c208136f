import type { OutgoingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Logger } from "pino";
import type { Metrics } from "../../adapters/monitoring/metrics.ts";
import { ClientDisconnected, sendStream } from "../../platform/transfers/send-stream.ts";

/** Sends a stream as the body of a response whose status and headers are set. `lengthBytes` is Infinity if it is unknown. */
export async function transfer(
  reply: FastifyReply,
  stream: Readable,
  lengthBytes: number,
  { log, metrics }: { log: Logger; metrics: Metrics },
): Promise<FastifyReply> {
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  metrics.transfersActive.inc({ server: "api" });
  try {
    await sendStream(stream, reply.raw, lengthBytes, (bytes) => metrics.transferBytes.inc({ server: "api" }, bytes));
  } catch (error) {
    if (!(error instanceof ClientDisconnected))
      log.error({ request_id: reply.request.id, err: error }, "a transfer failed");
  } finally {
    metrics.transfersActive.dec({ server: "api" });
  }
  return reply;
}
