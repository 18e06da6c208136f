import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Document } from "../plugins/conditional-requests.ts";
import type { RequestContext } from "../route.ts";

/** A page or a file that is the same for everyone and only changes with the program. */
export interface Published {
  body: string | Buffer;
  contentType: string;
  headers?: Readonly<Record<string, string>>;
}

/** Serves what `make` returns. It is called once, on the first request. */
export function publish(make: () => Published): (context: RequestContext) => FastifyReply {
  let document: Document | undefined;
  return ({ reply, now }) => {
    document ??= toDocument(make(), now);
    return reply.sendDocument(document);
  };
}

function toDocument({ body, contentType, headers }: Published, modified: Date): Document {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    body: bytes,
    contentType,
    etag: `"${hash("sha256", bytes, "base64url")}"`,
    modified,
    headers: { ...headers, "cache-control": "no-cache", "x-content-type-options": "nosniff" },
  };
}
