import { type Format, isFormat } from "@dbdepot/contract/formats";
import type { BuildUpload } from "@dbdepot/contract/operator-answers";
import type { UploadQuery } from "@dbdepot/contract/operator-queries";
import type { FastifyRequest } from "fastify";
import type { Build } from "../../builds/build.ts";
import { readDocument } from "../../builds/document.ts";
import { requireStaged, stageFile } from "../../builds/staging.ts";
import { requireVersion } from "../../catalogue/catalogue.ts";
import { conflict, invalid, notFound } from "../../faults.ts";
import { ObjectExists } from "../../objects/store.ts";
import type { Store } from "../../store.ts";
import { uploadOf } from "./builds.ts";
import { piecesOf, removePieces, wholeFile } from "./pieces.ts";
import { rawBody } from "./raw-body.ts";
import type { OperatorVisit } from "./route.ts";

/**
 * Takes a file of a staged build, or its rest from `offset` on, while it is inspected. If the body breaks off, what
 * arrived is kept, and the upload can go on from there.
 */
export async function putFile(visit: OperatorVisit<UploadQuery>): Promise<BuildUpload> {
  const { parts, operation, request, query, id } = visit;
  const { store, objects } = parts;
  const { build, format } = await requireMissingFile(store, id, (request.params as { format: string }).format);
  const { offset = 0 } = query;
  requireRest(build, format, offset, contentLength(request));
  const pieces = await piecesOf(objects, build, format);
  if (pieces.sizeBytes !== offset) {
    throw conflict(`${pieces.sizeBytes} bytes have arrived: send the rest, with offset=${pieces.sizeBytes}`);
  }
  const source = wholeFile(objects, { build, format, pieces, rest: rawBody(request) });
  await stageFile(operation, objects, { build, format, source }).catch((error) => {
    throw error instanceof ObjectExists ? conflict("somebody else is sending the same file") : error;
  });
  await removePieces(objects, build, format);
  return uploadOf(parts, await requireStaged(store, id));
}

async function requireMissingFile(store: Store, id: string, format: string): Promise<{ build: Build; format: Format }> {
  if (!isFormat(format)) throw notFound(`there is no format "${format}"`);
  const build = await requireStaged(store, id);
  const version = await requireVersion(store, build.versionId);
  if (!version.formats.includes(format)) throw invalid(`${version.id} is not built in ${format}`);
  if (build.files[format]) throw conflict(`build ${id} has its ${format} already`);
  return { build, format };
}

/** Told before it is sent, since it may be gigabytes: publication would refuse it. */
function requireRest(build: Build, format: Format, offset: number, lengthBytes: number): void {
  const read = readDocument(build.metadata);
  const sizeBytes = "metadata" in read ? read.metadata.size[format] : undefined;
  if (sizeBytes !== undefined && offset + lengthBytes !== sizeBytes) {
    throw invalid(`the file would have ${offset + lengthBytes} bytes, and the metadata says ${sizeBytes}`);
  }
}

function contentLength({ headers }: FastifyRequest): number {
  const length = headers["content-length"];
  if (length === undefined) throw invalid("Content-Length is missing: say how many bytes will follow");
  return Number(length);
}
