import { hash } from "node:crypto";
import type { Build } from "../builds/build.ts";
import { judgePreconditions, type Validators } from "../preconditions.ts";
import { Ready } from "./ready.ts";
import type { Reply } from "./reply.ts";
import type { Visit } from "./route.ts";

/** A JSON body about a build, made once and kept as long as the build is. */
export class Document extends Ready implements Validators {
  readonly etag: string;
  readonly modified: Date;
  /** For those who have it. */
  readonly unchanged: Ready;

  constructor(build: Build, body: Buffer, etag: string) {
    const modified = build.published ?? build.created;
    const headers = [
      ["etag", etag],
      ["last-modified", modified.toUTCString()],
      ["cache-control", "private, no-cache"],
      ["x-build-id", build.id],
      ["repr-digest", `sha-256=:${hash("sha256", body, "base64")}:`],
    ].flat();
    const ofBody = ["content-type", "application/json; charset=utf-8", "content-length", String(body.length)];
    super(200, [...headers, ...ofBody], body);
    this.etag = etag;
    this.modified = modified;
    this.unchanged = new Ready(304, headers);
  }
}

export function sendDocument({ request, reply }: Visit, document: Document): Reply {
  // If-Match and its like guard writing; a reader who sends them gets what there is.
  const isUnchanged = judgePreconditions(request.headers, document) === "not_modified";
  return reply.sendReady(isUnchanged ? document.unchanged : document);
}
