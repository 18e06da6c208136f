import type { DatabaseChecksums } from "@dbdepot/contract/checksums";
import type { Format } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../../builds/build.ts";
import type { Verdict } from "../../downloads/decide.ts";
import { REFUSALS } from "../../downloads/refusals.ts";
import { Document, sendDocument } from "../document.ts";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { type Named, namedBy } from "./named.ts";
import { judge } from "./requested.ts";

const documents = new WeakMap<BuildFile, Document>();

/** The digests of one file of the current build, or of the pinned one. */
export function checksum(visit: Visit): Reply | Promise<Reply> {
  const named = namedBy(visit);
  const { format } = named;
  if (!format) return sendError(visit.reply, "INVALID_FORMAT");
  const verdict = judge(visit, named, format);
  return verdict instanceof Promise
    ? verdict.then((found) => answer(visit, named, found, format))
    : answer(visit, named, verdict, format);
}

function answer(visit: Visit, named: Named, verdict: Verdict, format: Format): Reply {
  if (!verdict.granted) return sendError(visit.reply, REFUSALS[verdict.refusal].rc);
  if (!named.document) {
    const file = verdict.build.files[format];
    // A build has a file for each format of its version: publication sees to that.
    if (!file) return sendError(visit.reply, "NOT_AVAILABLE");
    named.document = documentOf(verdict.build, file, format);
  }
  return sendDocument(visit, named.document);
}

function documentOf(build: Build, file: BuildFile, format: Format): Document {
  let document = documents.get(file);
  if (!document) {
    const body: DatabaseChecksums = { id: build.versionId, format, checksums: file.checksums };
    document = new Document(build, Buffer.from(JSON.stringify(body)), `"${build.id}-${format}"`);
    documents.set(file, document);
  }
  return document;
}
