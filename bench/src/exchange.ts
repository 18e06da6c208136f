import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import { buffer } from "node:stream/consumers";

export interface HttpRequest {
  path: string;
  headers: Record<string, string>;
}

export interface HttpResponse {
  status: number;
  /** As they came, name by name. */
  headers: [string, string][];
  body: Buffer;
}

/** One request on a connection of its own, redirects not followed. */
export async function exchange(origin: string, { path, headers }: HttpRequest): Promise<HttpResponse> {
  const request = startRequest(`${origin}${path}`, { headers, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { rawHeaders: raw } = response;
  return {
    status: response.statusCode ?? 0,
    headers: raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""] as [string, string]] : [])),
    body: await buffer(response),
  };
}

export function headerOf({ headers }: HttpResponse, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}
