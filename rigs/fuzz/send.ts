import { type Agent, type IncomingMessage, request as startRequest } from "node:http";
import type { FuzzRequest } from "./requests.ts";

/** Enough of a body to look for secrets in. */
const KEPT_BYTES = 1024 * 1024;
const TIMEOUT_MS = 60_000;
/** How long to read a stream of events, which does not end. */
const STREAM_MS = 100;

export interface FuzzResponse {
  status: number;
  headers: string;
  body: string;
}

/**
 * Returns undefined if the server closed the connection without a response, as it may after an upgrade or a bad body.
 */
export function send(origin: string, agent: Agent, fuzzed: FuzzRequest): Promise<FuzzResponse | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<FuzzResponse | undefined>();
  const { method, path, body } = fuzzed;
  const headers = { ...fuzzed.headers, ...(body && { "content-length": String(body.length) }) };
  const { hostname, port } = new URL(origin);
  const request = startRequest({ hostname, port, agent, method, path, headers, timeout: TIMEOUT_MS });
  request.on("timeout", () => reject(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
  let isAnswered = false;
  request.on("response", (response) => {
    isAnswered = true;
    collect(response).then(resolve);
  });
  request.on("error", () => {});
  request.on("close", () => {
    if (!isAnswered) resolve(undefined);
  });
  request.end(body);
  return promise;
}

function collect(response: IncomingMessage): Promise<FuzzResponse> {
  const { promise, resolve } = Promise.withResolvers<FuzzResponse>();
  const chunks: Buffer[] = [];
  let kept = 0;
  response.on("data", (chunk: Buffer) => {
    if (kept < KEPT_BYTES) chunks.push(chunk);
    kept += chunk.length;
  });
  if (response.headers["content-type"] === "text/event-stream") setTimeout(() => response.destroy(), STREAM_MS);
  // The part that arrived before an error is checked too.
  response.on("error", () => {});
  response.on("close", () => {
    const body = Buffer.concat(chunks).toString("latin1");
    resolve({ status: response.statusCode ?? 0, headers: response.rawHeaders.join("\n"), body });
  });
  return promise;
}
