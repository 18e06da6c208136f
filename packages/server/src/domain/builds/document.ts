import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { type ParsedDocument, parseDocument } from "./parse-document.ts";

/** The documents of all current builds are kept in memory. A typical one has a few KiB. */
export const DOCUMENT_MAX_BYTES = 1024 * 1024;
/** Validating a larger document can take long enough to delay other requests. */
const INLINE_MAX_BYTES = 64 * 1024;
const TIMEOUT_MS = 10_000;

/** Parses and validates the metadata document of a build, on a worker thread if it is large. */
export async function readDocument(document: Buffer): Promise<ParsedDocument> {
  if (document.length > DOCUMENT_MAX_BYTES) return { faults: [`larger than ${DOCUMENT_MAX_BYTES} bytes`] };
  return document.length > INLINE_MAX_BYTES ? parseInWorker(document) : parseDocument(document);
}

async function parseInWorker(document: Buffer): Promise<ParsedDocument> {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedDocument>();
  const worker = new Worker(new URL(`./document-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: document,
  });
  const timeout = setTimeout(
    () => resolve({ faults: [`takes more than ${TIMEOUT_MS / 1000} s to parse`] }),
    TIMEOUT_MS,
  );
  worker.on("message", resolve);
  worker.on("error", reject);
  try {
    return await promise;
  } finally {
    clearTimeout(timeout);
    await worker.terminate();
  }
}
