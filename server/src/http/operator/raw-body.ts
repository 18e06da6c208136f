import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Whatever these routes are sent is the handler's to read, as it comes; its type is not asked for. */
export function readRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
}

/**
 * Empty where there is none. Whoever stops before its end can still answer: the connection stays, and the rest is
 * read and forgotten, since many clients listen only when they have sent everything.
 */
export async function* rawBody({ body }: FastifyRequest): AsyncGenerator<Buffer> {
  const stream = body as Readable | undefined;
  if (!stream) return;
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    stream.resume();
  }
}
