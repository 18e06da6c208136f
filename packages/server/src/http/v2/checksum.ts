import { type FileKind, formatOf, isFormat, sampleOf } from "@dbdepot/contract/shared/formats";
import type { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import type { FastifyReply } from "fastify";
import type { Build, BuildFile } from "../../domain/builds/build.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { refuseQuery } from "../attempts.ts";
import { sendError } from "../errors.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import { isSampleRequest, parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { buildDocument } from "./build-document.ts";
import { verdictFor } from "./verdict.ts";

const documents = new WeakMap<BuildFile, Document>();

/** Sends the digests of one file of the current build, or of the pinned one. */
export async function checksum(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const format = parameter(request, "format");
  if (!isFormat(format)) return sendError(reply, "INVALID_FORMAT");
  const verdict = await verdictFor(context, format);
  if (!verdict.granted) return refuseQuery(context, "checksum", verdict.refusal, REFUSALS[verdict.refusal].rc);
  const document = documentOf(verdict.build, isSampleRequest(request) ? sampleOf(format) : format);
  // Publication makes sure that a build has a file for each format of its version.
  return document ? reply.sendDocument(document) : sendError(reply, "NOT_AVAILABLE");
}

function documentOf(build: Build, kind: FileKind): Document | undefined {
  const file = build.files[kind];
  if (!file) return undefined;
  let document = documents.get(file);
  if (!document) {
    const body: DatabaseChecksums = { id: build.versionId, format: formatOf(kind), checksums: file.checksums };
    document = buildDocument(build, Buffer.from(`${JSON.stringify(body)}\n`), `"${build.id}-${kind}"`);
    documents.set(file, document);
  }
  return document;
}
