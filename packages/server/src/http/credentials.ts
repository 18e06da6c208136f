import type { FastifyRequest } from "fastify";

/** The headers that say who is calling. `apikey` is part of the URL. */
export const CALLER_HEADERS = "Authorization, X-Api-Key, Cookie";

const BASIC = /^basic(?:\s+(.*))?$/i;
const BEARER = /^bearer(?:\s+(.*))?$/i;

/**
 * The key of a request: `Authorization: Bearer` wins over `X-Api-Key`, which wins over the `apikey` parameter.
 * Undefined if no key was sent. An empty string, which is never a valid key, if one was sent twice in the same way.
 */
export function presentedKey(request: FastifyRequest): string | undefined {
  return bearerKey(request) ?? apiKeyHeader(request) ?? apikeyParameter(request);
}

export function bearerKey(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const match = BEARER.exec(authorization.trim());
  // Another scheme, such as a proxy's Basic, is not one of our keys.
  if (!match) return undefined;
  // Node keeps the first of several Authorization headers and drops the rest.
  return isRepeated(request, "authorization") ? "" : (match[1] ?? "").trim();
}

/** Undefined if the request does not use HTTP Basic. Malformed credentials have an empty key, which is never valid. */
export function basicCredentials(request: FastifyRequest): { account: string; key: string } | undefined {
  const match = BASIC.exec(request.headers.authorization?.trim() ?? "");
  if (!match) return undefined;
  const [, account = "", key = ""] = /^([^:]*):(.*)$/s.exec(Buffer.from(match[1] ?? "", "base64").toString()) ?? [];
  return { account: account.trim(), key: isRepeated(request, "authorization") ? "" : key.trim() };
}

export function apikeyParameter({ query }: FastifyRequest): string | undefined {
  const { apikey } = query as Record<string, unknown>;
  if (apikey === undefined) return undefined;
  return typeof apikey === "string" ? apikey.trim() : "";
}

function apiKeyHeader(request: FastifyRequest): string | undefined {
  const value = request.headers["x-api-key"];
  if (value === undefined) return undefined;
  return Array.isArray(value) || isRepeated(request, "x-api-key") ? "" : value.trim();
}

/** Whether a header was sent more than once: Node drops or joins repeated headers silently. */
function isRepeated({ raw }: FastifyRequest, name: string): boolean {
  return raw.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length > 1;
}
