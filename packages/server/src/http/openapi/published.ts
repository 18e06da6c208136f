import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Brand } from "../../domain/brand/brand.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import type { RequestContext, Services } from "../route.ts";

/** A page or a file that is the same for everyone and only changes with the program and the vendor's brand. */
export interface Published {
  body: string | Buffer;
  contentType: string;
  headers?: Readonly<Record<string, string>>;
}

/** Serves what `make` returns. It is called on the first request, once for each brand. */
export function publish(
  make: (brand: Brand, services: Pick<Services, "systemPackages">) => Published,
): (context: RequestContext) => FastifyReply {
  const documents = new WeakMap<Brand, Document>();
  return ({ services, reply, now }) => {
    const { brand } = services.console;
    const document = documents.get(brand) ?? toDocument(make(brand, services), now);
    documents.set(brand, document);
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
    headers: { ...headers, "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" },
  };
}
