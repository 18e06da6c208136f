import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type RequestOptions, request } from "node:http";
import { text } from "node:stream/consumers";

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends the target unchanged, where fetch would normalize the path. */
export async function rawRequest(origin: string, target: string, options: RequestOptions = {}): Promise<RawResponse> {
  const response = await begin(origin, target, options);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Returns the response once its headers have arrived. The caller reads the body. */
export async function begin(origin: string, target: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const { hostname, port } = new URL(origin);
  const sending = request({ hostname, port, path: target, agent: false, ...options });
  sending.end();
  const [response] = await once(sending, "response");
  return response;
}
