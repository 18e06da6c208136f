import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { diskError } from "../download/disk-error.ts";
import { abortedError } from "../errors.ts";
import { collect, decode, type HttpResponse } from "../http/http.ts";

/** Fetches a file of a mirror by its path in the layout. */
export type FetchFile = (
  path: string,
  request: { headers: Record<string, string>; signal: AbortSignal | undefined },
) => Promise<HttpResponse>;

export function textResponse(status: number, body: string, headers: Record<string, string> = {}): HttpResponse {
  return bodyResponse(status, Buffer.from(body), headers);
}

export function bodyResponse(status: number, body: Uint8Array, headers: Record<string, string>): HttpResponse {
  return {
    status,
    header: (name) => headers[name] ?? null,
    async *chunks() {
      yield body;
    },
    bytes: async () => body,
    text: async () => decode(body),
    discard: () => {},
  };
}

export function errorResponse(status: number, rc: string): HttpResponse {
  return textResponse(status, JSON.stringify({ rc }));
}

/** The same response with one more header. */
export function withHeader(response: HttpResponse, added: string, value: string): HttpResponse {
  return {
    status: response.status,
    header: (name) => (name === added ? value : response.header(name)),
    chunks: () => response.chunks(),
    bytes: () => response.bytes(),
    text: () => response.text(),
    discard: () => response.discard(),
  };
}

/** Reads files of a directory as a web server would send them. */
export function directoryFiles(directory: string): FetchFile {
  return async (path, { headers, signal }) => {
    if (signal?.aborted) throw abortedError();
    const file = join(directory, path);
    const sizeBytes = await sizeOf(file);
    if (sizeBytes === undefined) return errorResponse(404, "NOT_FOUND");
    const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
    if (start > 0 && start >= sizeBytes) {
      return textResponse(416, "", { "content-range": `bytes */${sizeBytes}` });
    }
    const length = { "content-length": String(sizeBytes - start) };
    const range = { "content-range": `bytes ${start}-${sizeBytes - 1}/${sizeBytes}` };
    const sent: Record<string, string> = start > 0 ? { ...length, ...range } : length;
    const chunks = () => readChunks(file, start, signal);
    return {
      status: start > 0 ? 206 : 200,
      header: (name) => sent[name] ?? null,
      chunks,
      bytes: () => collect(chunks(), path),
      text: async () => decode(await collect(chunks(), path)),
      discard: () => {},
    };
  };
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw diskError(path, error);
  }
}

async function* readChunks(path: string, start: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { start })) {
      if (signal?.aborted) throw abortedError();
      yield chunk;
    }
  } catch (error) {
    throw diskError(path, error);
  }
}
