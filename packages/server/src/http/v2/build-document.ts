import { hash } from "node:crypto";
import type { Build } from "../../domain/builds/build.ts";
import type { Document } from "../plugins/conditional-requests.ts";

/** A JSON document about a build. Builds never change, so callers keep it as long as the build. */
export function buildDocument(build: Build, body: Buffer, etag: string): Document {
  const modified = build.published ?? build.created;
  return {
    body,
    contentType: "application/json; charset=utf-8",
    etag,
    modified,
    headers: {
      "last-modified": modified.toUTCString(),
      "cache-control": "private, no-cache",
      "x-build-id": build.id,
      "repr-digest": `sha-256=:${hash("sha256", body, "base64")}:`,
    },
  };
}
