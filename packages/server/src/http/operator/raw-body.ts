import type { FastifyRequest } from "fastify";

/**
 * The body as it arrives, whatever its type and size. If the reader stops early, the rest is read and discarded, because
 * many clients look for a response only after they have sent everything.
 */
export async function* rawBody({ raw }: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    yield* raw.iterator({ destroyOnReturn: false });
  } finally {
    raw.resume();
  }
}
