import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends a target as it stands: fetch would tidy up the path, which is what these tests are about. */
export async function rawRequest(origin: string, target: string, options: RequestOptions = {}): Promise<RawResponse> {
  const response = await begin(origin, target, options);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** The response when its headers are there; its body is the caller's to read. */
export async function begin(origin: string, target: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const { hostname, port } = new URL(origin);
  const sending = request({ hostname, port, path: target, agent: false, ...options });
  sending.end();
  const [response] = await once(sending, "response");
  return response;
}
