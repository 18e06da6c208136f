import type { Request } from "../request.ts";

/**
 * The body as it comes, whatever its type and size; empty where there is none. Whoever stops before its end can still
 * answer: the connection stays, and the rest is read and forgotten, since many clients listen only when they have sent
 * everything.
 */
export async function* rawBody({ raw }: Request): AsyncGenerator<Buffer> {
  try {
    yield* raw.iterator({ destroyOnReturn: false });
  } finally {
    raw.resume();
  }
}
