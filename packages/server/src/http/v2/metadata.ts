import { hash } from "node:crypto";
import { type FileKind, type Format, formatOf, isFormat, sampleOf } from "@dbdepot/contract/shared/formats";
import type { DatabaseChecksums } from "@dbdepot/contract/v2/checksums";
import type { FastifyReply } from "fastify";
import type { Build, BuildFile } from "../../domain/builds/build.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import type { OfferedPatch } from "../../domain/patches/patch.ts";
import { patchToWire } from "../../domain/patches/wire.ts";
import { refuseQuery } from "../attempts.ts";
import { sendError } from "../errors.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import { baseDigest, isSampleRequest, parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictFor } from "./verdict.ts";

const metadataDocuments = new WeakMap<Build, Document>();

/** Sends the exporter's document byte for byte. Made for polling: an unchanged build is a 304. */
export async function metadata(context: KeyContext): Promise<FastifyReply> {
  const verdict = await verdictFor(context, undefined);
  if (!verdict.granted) return refuseQuery(context, "metadata", verdict.refusal, REFUSALS[verdict.refusal].rc);
  return context.reply.sendDocument(metadataDocument(verdict.build));
}

function metadataDocument(build: Build): Document {
  let document = metadataDocuments.get(build);
  if (!document) {
    document = buildDocument(build, build.metadata, `"${build.id}"`);
    metadataDocuments.set(build, document);
  }
  return document;
}

const checksumDocuments = new WeakMap<BuildFile, Document>();

/** Sends the digests of one file of the current build, or of the pinned one, and a patch to it if the client asks for one. */
export async function checksum(context: KeyContext): Promise<FastifyReply> {
  const { services, request, reply } = context;
  const format = parameter(request, "format");
  if (!isFormat(format)) return sendError(reply, "INVALID_FORMAT");
  const from = baseDigest(request);
  if (from === null) return sendError(reply, "INVALID_REQUEST");
  const verdict = await verdictFor(context, format);
  if (!verdict.granted) return refuseQuery(context, "checksum", verdict.refusal, REFUSALS[verdict.refusal].rc);
  const isSample = isSampleRequest(request);
  const patch = from && !isSample ? services.register.patch(verdict.build.id, format, from) : undefined;
  const document = patch
    ? patchDocument(verdict.build, patch)
    : from && !isSample && (await isPatchPending(context, verdict.build, format, from))
      ? pendingDocument(verdict.build, format)
      : checksumDocument(verdict.build, isSample ? sampleOf(format) : format);
  // Publication makes sure that a build has a file for each format of its version.
  return document ? reply.sendDocument(document) : sendError(reply, "NOT_AVAILABLE");
}

function checksumDocument(build: Build, kind: FileKind): Document | undefined {
  const file = build.files[kind];
  if (!file) return undefined;
  let document = checksumDocuments.get(file);
  if (!document) {
    const body: DatabaseChecksums = { id: build.versionId, format: formatOf(kind), checksums: file.checksums };
    document = buildDocument(build, Buffer.from(`${JSON.stringify(body)}\n`), `"${build.id}-${kind}"`);
    checksumDocuments.set(file, document);
  }
  return document;
}

async function isPatchPending({ services }: KeyContext, build: Build, format: Format, from: string): Promise<boolean> {
  const isCurrent = services.register.offer(build.versionId)?.build?.id === build.id;
  return (
    isCurrent && from !== build.files[format]?.checksums.sha256 && services.pendingPatches.has(build, format, from)
  );
}

/** The digests of the current file, to which a patch is being made. */
function pendingDocument(build: Build, format: Format): Document | undefined {
  const file = build.files[format];
  if (!file) return undefined;
  const body: DatabaseChecksums = { id: build.versionId, format, checksums: file.checksums, patch_pending: true };
  return buildDocument(build, Buffer.from(`${JSON.stringify(body)}\n`), `"${build.id}-${format}-pending"`);
}

/** The digests of the current file, and the patch to it. */
function patchDocument(build: Build, patch: OfferedPatch): Document | undefined {
  const { format } = patch;
  const file = build.files[format];
  if (!file) return undefined;
  const { checksums } = file;
  const body: DatabaseChecksums = { id: build.versionId, format, checksums, patch: patchToWire(patch, file) };
  return buildDocument(build, Buffer.from(`${JSON.stringify(body)}\n`), `"${build.id}-${patch.id}"`);
}

/** A JSON document about a build. Builds never change, so it is kept as long as the build. */
function buildDocument(build: Build, body: Buffer, etag: string): Document {
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
