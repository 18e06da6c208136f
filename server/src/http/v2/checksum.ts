import type { DatabaseChecksums } from "@dbdepot/contract/checksums";
import type { Format } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../../builds/build.ts";
import { Document } from "../document.ts";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { namedBy } from "./named.ts";
import { sendAbout } from "./requested.ts";

const documents = new WeakMap<BuildFile, Document>();

/** The digests of one file of the current build, or of the pinned one. */
export function checksum(visit: Visit): Reply | Promise<Reply> {
  const named = namedBy(visit);
  const { format } = named;
  if (!format) return sendError(visit.reply, "INVALID_FORMAT");
  return sendAbout(visit, named, format, documentOf);
}

function documentOf(build: Build, format: Format): Document | undefined {
  const file = build.files[format];
  if (!file) return undefined;
  let document = documents.get(file);
  if (!document) {
    const body: DatabaseChecksums = { id: build.versionId, format, checksums: file.checksums };
    document = new Document(build, Buffer.from(JSON.stringify(body)), `"${build.id}-${format}"`);
    documents.set(file, document);
  }
  return document;
}
