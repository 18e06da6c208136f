import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Whatever these routes are sent is the handler's to read, as it comes; its type is not asked for. */
export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
}

/** Empty where there is none. Whoever stops reading can still answer: the connection stays. */
export function rawBody({ body }: FastifyRequest): AsyncIterable<Buffer> {
  return (body as Readable | undefined)?.iterator({ destroyOnReturn: false }) ?? nothing();
}

async function* nothing(): AsyncGenerator<Buffer> {}
