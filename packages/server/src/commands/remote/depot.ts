import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { OperatorErrorBody } from "@dbdepot/contract/operator/errors";
import type { PlainKey } from "../../domain/access/secret.ts";
import { BuildRefused } from "../../domain/builds/refusal.ts";
import { conflict, invalid, notFound } from "../../platform/primitives/faults.ts";

/** The connection broke or the server failed. The request can be retried. */
export class Unreachable extends Error {}

export interface RemoteRequest {
  method: "GET" | "POST" | "PUT";
  path: string;
  body?: { bytes: AsyncIterable<Buffer>; sizeBytes: number };
  contentType?: string;
  signal?: AbortSignal;
}

/** The operator API of another dbdepot server. */
export class RemoteDepot {
  readonly #origin: URL;
  readonly #key: PlainKey;

  constructor(origin: URL, key: PlainKey) {
    this.#origin = origin;
    this.#key = key;
  }

  /** Returns the body of the response, or throws the fault that it reports. */
  async send<T>(request: RemoteRequest): Promise<T> {
    const response = await this.#request(request).catch((error: NodeJS.ErrnoException) => {
      throw new Unreachable(`${this.#origin.origin} cannot be reached (${error.code ?? error.message})`);
    });
    const status = response.statusCode ?? 0;
    const body = await json(response).catch(() => undefined);
    if (status >= 200 && status < 300 && body !== undefined) return body as T;
    throw faultOf(status, body as OperatorErrorBody | undefined, this.#origin.origin);
  }

  /** Uses node:http, because fetch loses a response that arrives while a large body is still being sent. */
  async #request({ method, path, body, contentType, signal }: RemoteRequest): Promise<IncomingMessage> {
    const url = new URL(path, this.#origin);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // Unlike a static import, this loads only the module that the URL needs.
    const { request: open } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http");
    const sending = open(url, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${this.#key.reveal()}`,
        ...(body && { "content-type": contentType ?? "application/octet-stream", "content-length": body.sizeBytes }),
      },
    });
    sending.on("response", resolve).on("error", reject);
    if (body) pipeline(Readable.from(body.bytes), sending).catch(reject);
    else sending.end();
    return promise;
  }
}

function faultOf(status: number, body: OperatorErrorBody | undefined, origin: string): Error {
  const message = body?.message ?? body?.rc ?? `status ${status}`;
  if (body?.reason && body.faults) return new BuildRefused(body.reason, body.faults);
  // The command line was valid, but the server refused the request.
  if (status === 401) return new Error(`${origin} refuses the key: it needs the scope builds.publish`);
  if (status === 404) return notFound(message);
  if (status === 409) return conflict(message);
  return status >= 500 || status === 429 ? new Unreachable(`${origin} failed: ${message}`) : invalid(message);
}
