import { CANARY, type FuzzRequest } from "./requests.ts";
import type { FuzzResponse } from "./send.ts";

const DECLARED_OUTAGE = /^retry-after(:|$)/im;
const KEY_SHAPE = /dbd_[0-9A-Za-z]{8}_[0-9A-Za-z]{8,}/;

/** Says what is wrong with a response, or returns undefined. */
export function problemOf(
  request: FuzzRequest,
  response: FuzzResponse,
  secrets: ReadonlySet<string>,
): string | undefined {
  const { status, headers, body } = response;
  if (isUndeclared(status, headers)) return `unexpected ${status}`;
  const secret = [...secrets].find((text) => headers.includes(text) || body.includes(text));
  if (secret !== undefined) return `the response contains the secret ${secret.slice(0, 16)}…`;
  const isRefused = status >= 400;
  if (headers.includes(CANARY) || (isRefused && body.includes(CANARY))) return "the response contains the canary";
  if (isRefused && KEY_SHAPE.test(body)) return `an error of ${request.route} contains a key`;
  return undefined;
}

/** A version without a build is answered with 503 and `Retry-After`, as documented. */
export function isUndeclared(status: number, headers: string): boolean {
  return status >= 500 && !(status === 503 && DECLARED_OUTAGE.test(headers));
}

/** Describes a request, so that a person can repeat it. */
export function describe({ method, path, headers, body, route, caller }: FuzzRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 200)}`);
  const text = body?.toString("latin1").slice(0, 1000) ?? "";
  return [`${route} as ${caller}`, `${method} ${path.slice(0, 1000)}`, ...lines, text].join("\n");
}
