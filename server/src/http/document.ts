import { hash } from "node:crypto";
import type { Build } from "../builds/build.ts";
import { judgePreconditions } from "../preconditions.ts";
import type { Reply } from "./reply.ts";
import type { Visit } from "./route.ts";

/** A JSON body about a build, made once and kept as long as the build is. */
export interface Document {
  body: Buffer;
  etag: string;
  lastModified: string;
  reprDigest: string;
}

export function newDocument(build: Build, body: Buffer, etag: string): Document {
  return {
    body,
    etag,
    lastModified: modified(build).toUTCString(),
    reprDigest: `sha-256=:${hash("sha256", body, "base64")}:`,
  };
}

/** As it stands, or 304 for those who have it. */
export function sendDocument({ request, reply }: Visit, build: Build, document: Document): Reply {
  reply
    .header("etag", document.etag)
    .header("last-modified", document.lastModified)
    .header("cache-control", "private, no-cache")
    .header("x-build-id", build.id)
    .header("repr-digest", document.reprDigest);
  const condition = judgePreconditions(request.headers, { etag: document.etag, modified: modified(build) });
  // If-Match and its like guard writing; a reader who sends them gets what there is.
  if (condition === "not_modified") return reply.code(304).send();
  return reply.header("content-type", "application/json; charset=utf-8").send(document.body);
}

function modified(build: Build): Date {
  return build.published ?? build.created;
}
