import type { Request } from "../request.ts";

/**
 * The body as it comes, whatever its type and size; empty where there is none. Whoever stops before its end can still
 * answer: the connection stays, and the rest is read and forgotten, since many clients listen only when they have sent
 * everything.
 */
export async function* rawBody({ incoming }: Request): AsyncGenerator<Buffer> {
  try {
    yield* incoming.iterator({ destroyOnReturn: false });
  } finally {
    incoming.resume();
  }
}
