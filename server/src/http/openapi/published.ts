import { hash } from "node:crypto";
import type { Reply } from "../reply.ts";
import type { PublicVisit } from "../route.ts";

/** Something to read that is the same for everybody until the program changes. */
export interface Published {
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** Answers with what `make` gives, which is asked once, on the first request. */
export function publish(make: () => Published): (visit: PublicVisit) => Reply {
  let kept: ReturnType<typeof keep> | undefined;
  return ({ request, reply }) => {
    kept ??= keep(make());
    reply.header("etag", kept.etag).header("cache-control", "no-cache");
    // The tag is a digest in its quotes: no other tag, weak or in a list, contains it.
    if (request.headers["if-none-match"]?.includes(kept.etag)) return reply.code(304).send();
    return reply.headers(kept.headers).send(kept.bytes);
  };
}

function keep({ body, headers }: Published) {
  const bytes = Buffer.from(body);
  return {
    bytes,
    headers: { ...headers, "x-content-type-options": "nosniff" },
    etag: `"${hash("sha256", bytes, "base64url")}"`,
  };
}
