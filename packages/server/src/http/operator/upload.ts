import type { IncomingMessage } from "node:http";
import type { BuildUpload, UploadQuery } from "@dbdepot/contract/operator/builds";
import { type FileKind, formatOf, isFileKind, isFormat } from "@dbdepot/contract/shared/formats";
import type { FastifyRequest } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import { readDocument } from "../../domain/builds/document.ts";
import { ObjectExists, StorageFull } from "../../domain/builds/object-store.ts";
import { requireStaged, stageFile } from "../../domain/builds/publishing/stage.ts";
import { listParts, receivedBytes, removeParts, resumeUpload } from "../../domain/builds/upload-parts.ts";
import { buildToWire } from "../../domain/builds/wire.ts";
import { requireVersion } from "../../domain/catalogue/catalogue.ts";
import type { Store } from "../../domain/store.ts";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";
import type { CallerContext } from "../endpoint.ts";
import type { Services } from "../route.ts";

/**
 * Receives a file of a staged build, or its rest from `offset` on, and inspects it on the way. If the upload is
 * interrupted, what arrived is kept and the client can resume from there.
 */
export async function putFile(context: CallerContext<UploadQuery>): Promise<BuildUpload> {
  const { services, request, query, id } = context;
  const { build, kind } = await requireMissingFile(services.store, id, (request.params as { format: string }).format);
  await requireRest(build, kind, query.offset ?? 0, contentLength(request));
  await exclusiveUpload(`${build.id} ${kind}`, request.raw, () => receive(context, build, kind));
  return uploadOf(services, await requireStaged(services.store, id));
}

/** The build, and how many bytes of its incomplete files have arrived. */
export async function uploadOf({ store, objects }: Services, build: Build): Promise<BuildUpload> {
  const version = await requireVersion(store, build.versionId);
  return {
    ...buildToWire(build, version.currentBuildId),
    received: await receivedBytes(objects, build, version.formats),
  };
}

async function receive(context: CallerContext<UploadQuery>, build: Build, kind: FileKind): Promise<void> {
  const { services, operation, request, query } = context;
  const { objects } = services;
  const uploaded = await listParts(objects, build, kind);
  if (uploaded.sizeBytes !== (query.offset ?? 0)) {
    throw conflict(`${uploaded.sizeBytes} bytes have arrived: send the rest with offset=${uploaded.sizeBytes}`);
  }
  const source = resumeUpload(objects, { build, kind, parts: uploaded, rest: rawBody(request) });
  try {
    await stageFile(operation, objects, { build, kind, source, recompress: query.recompress });
  } catch (error) {
    // The client has disconnected; nothing failed here.
    if (request.raw.destroyed && !request.raw.complete)
      throw invalid("the upload was interrupted: the bytes that arrived are kept");
    // Downloads need space too, for their history: free what the upload has used.
    if (error instanceof StorageFull) await removeParts(objects, build, kind);
    if (error instanceof ObjectExists)
      throw conflict("the same file was uploaded twice at the same time: check the build");
    throw error;
  }
  await removeParts(objects, build, kind);
}

async function requireMissingFile(store: Store, id: string, kind: string): Promise<{ build: Build; kind: FileKind }> {
  if (!isFileKind(kind)) throw notFound(`there is no format "${kind}"`);
  const build = await requireStaged(store, id);
  const version = await requireVersion(store, build.versionId);
  const format = formatOf(kind);
  if (!version.formats.includes(format)) throw invalid(`${version.id} is not built in ${format}`);
  if (build.files[kind]) throw conflict(`build ${id} already has its ${kind}`);
  return { build, kind };
}

/** Refuses a wrong length before gigabytes are sent: publication would refuse it later. */
async function requireRest(build: Build, kind: FileKind, offset: number, lengthBytes: number): Promise<void> {
  const read = await readDocument(build.metadata);
  if (!("metadata" in read)) return;
  const { size, sampleSize } = read.metadata;
  const sizeBytes = (isFormat(kind) ? size : sampleSize)[formatOf(kind)];
  if (sizeBytes !== undefined && offset + lengthBytes !== sizeBytes) {
    throw invalid(`the file would have ${offset + lengthBytes} bytes, but the metadata says ${sizeBytes}`);
  }
}

function contentLength({ headers }: FastifyRequest): number {
  const length = headers["content-length"];
  if (length === undefined) throw invalid("Content-Length is missing");
  return Number(length);
}

interface Upload {
  /** Disconnects its client and resolves when it has ended. */
  abort(): Promise<void>;
}

const running = new Map<string, Upload>();

/**
 * Runs one upload of a file at a time in this process. A later one aborts the earlier, because it is usually the same
 * exporter after a lost connection.
 */
async function exclusiveUpload<T>(file: string, request: IncomingMessage, run: () => Promise<T>): Promise<T> {
  await abortUpload(file);
  const ended = Promise.withResolvers<void>();
  running.set(file, {
    abort: () => {
      request.destroy();
      return ended.promise;
    },
  });
  try {
    return await run();
  } finally {
    running.delete(file);
    ended.resolve();
  }
}

/** Disconnects the client that is uploading the file in this process, if any, and waits for the end of the upload. */
export async function abortUpload(file: string): Promise<void> {
  for (let upload = running.get(file); upload; upload = running.get(file)) await upload.abort();
}

/**
 * The body as it arrives, whatever its type and size. If the reader stops early, the rest is read and discarded, because
 * many clients look for a response only after they have sent everything.
 */
export async function* rawBody({ raw }: FastifyRequest): AsyncGenerator<Buffer> {
  try {
    yield* raw.iterator({ destroyOnReturn: false });
  } finally {
    raw.resume();
  }
}
