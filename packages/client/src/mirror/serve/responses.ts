import type { IncomingMessage, ServerResponse } from "node:http";
import { parseRange } from "@dbdepot/formats/transfers/byte-range";
import { FileStream } from "@dbdepot/formats/transfers/file-stream";
import { allowsRange, evaluatePreconditions } from "@dbdepot/formats/transfers/preconditions";
import { sendStream } from "@dbdepot/formats/transfers/send-stream";
import type { ServedDocument, ServedFile, VerifiedMirror } from "./verified-mirror.ts";

/** A client that reads nothing for this long has disconnected without notice. */
export const CHUNK_TIMEOUT_MS = 60_000;

const TYPES: Record<string, string> = {
  ".json": "application/json",
  ".minisig": "text/plain",
  ".gz": "application/gzip",
};

export function sendProblem(response: ServerResponse, status: number, rc: string, message: string): void {
  sendBody(response, status, "application/json", Buffer.from(`${JSON.stringify({ rc, message, error: message })}\n`));
}

export function sendBody(response: ServerResponse, status: number, type: string, body: Buffer): void {
  response.setHeader("content-type", type);
  response.setHeader("content-length", body.length);
  response.writeHead(status).end(response.req.method === "HEAD" ? undefined : body);
}

export function sendDocument(
  { headers }: IncomingMessage,
  response: ServerResponse,
  path: string,
  { body, etag }: ServedDocument,
): void {
  response.setHeader("etag", etag);
  response.setHeader("cache-control", "no-cache");
  const verdict = evaluatePreconditions(headers, { etag });
  if (verdict === "failed") sendProblem(response, 412, "PRECONDITION_FAILED", "the document has changed");
  else if (verdict === "not_modified") response.writeHead(304).end();
  else sendBody(response, 200, typeOf(path), body);
}

/** Sends a file or a part of it. The open file stays the same one even if it is replaced meanwhile. */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  mirror: VerifiedMirror,
  file: ServedFile,
): Promise<void> {
  const { sizeBytes, modified, path } = file;
  const validators = { etag: `"${file.sha256}"`, modified };
  const handle = await mirror.open(file);
  if (!handle) {
    response.setHeader("retry-after", "5");
    return sendProblem(response, 503, "NOT_AVAILABLE", "the file has changed on the disk of the mirror: try again");
  }
  try {
    response.setHeader("etag", validators.etag);
    response.setHeader("last-modified", modified.toUTCString());
    response.setHeader("accept-ranges", "bytes");
    // The paths contain the id of the build, so the content never changes.
    response.setHeader("cache-control", "private, max-age=31536000, immutable, no-transform");
    const verdict = evaluatePreconditions(request.headers, validators);
    if (verdict === "failed") return sendProblem(response, 412, "PRECONDITION_FAILED", "the file has changed");
    if (verdict === "not_modified") {
      response.writeHead(304).end();
      return;
    }
    const asked = allowsRange(request.headers, validators) ? parseRange(request.headers.range, sizeBytes) : "whole";
    if (asked === "unsatisfiable") {
      response.setHeader("content-range", `bytes */${sizeBytes}`);
      return sendProblem(response, 416, "RANGE_NOT_SATISFIABLE", `the file has ${sizeBytes} bytes`);
    }
    const isWhole = asked === "whole";
    const range = isWhole ? { first: 0, last: sizeBytes - 1 } : asked;
    const lengthBytes = range.last - range.first + 1;
    if (!isWhole) response.setHeader("content-range", `bytes ${range.first}-${range.last}/${sizeBytes}`);
    response.writeHead(isWhole ? 200 : 206, { "content-type": typeOf(path), "content-length": lengthBytes });
    if (request.method === "HEAD") {
      response.end();
      return;
    }
    await sendStream(new FileStream(handle, range), response, lengthBytes, { chunkTimeoutMs: CHUNK_TIMEOUT_MS });
  } finally {
    await handle.close();
  }
}

function typeOf(path: string): string {
  const extension = /\.[a-z]+$/.exec(path)?.[0] ?? "";
  return TYPES[extension] ?? "application/octet-stream";
}
