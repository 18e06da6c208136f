import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

export interface HttpRequest {
  path: string;
  headers: Record<string, string>;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

const READY_TIMEOUT_MS = 60_000;
const READY_INTERVAL_MS = 5;

/** Sends a request on a new connection. Does not follow redirects. */
export async function send(origin: string, { path, headers }: HttpRequest): Promise<HttpResponse> {
  const request = startRequest(`${origin}${path}`, { headers, agent: false });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = await buffer(response);
  return { status: response.statusCode ?? 0, headers: response.headers as Record<string, string>, body };
}

/** Repeats the request until the server responds with the status. */
export async function waitFor(origin: string, request: HttpRequest, status: number): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const response = await send(origin, request).catch(() => undefined);
    if (response?.status === status) return;
    if (response) throw new Error(`${request.path}: expected ${status}, got ${response.status} ${response.body}`);
    if (performance.now() > deadline) throw new Error(`${origin} does not respond`);
    await delay(READY_INTERVAL_MS);
  }
}
