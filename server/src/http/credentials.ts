import type { Request } from "./request.ts";

const BEARER = /^bearer(?:\s+(.*))?$/i;

/**
 * The key of a request: `Authorization: Bearer` wins over `X-Api-Key`, which wins over the
 * `apikey` parameter. Undefined when none is presented; "" (which is no key) when one is
 * presented twice in the same way, since nobody can say which is meant.
 */
export function presentedKey(request: Request): string | undefined {
  return bearerKey(request) ?? apiKeyHeader(request) ?? apikeyParameter(request.query);
}

export function bearerKey(request: Request): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const match = BEARER.exec(authorization.trim());
  // Another scheme, such as a proxy's Basic, presents no key of ours.
  if (!match) return undefined;
  // Node keeps the first of several Authorization headers and drops the rest.
  return request.isRepeated("authorization") ? "" : (match[1] ?? "").trim();
}

function apiKeyHeader(request: Request): string | undefined {
  const value = request.headers["x-api-key"];
  if (value === undefined) return undefined;
  return Array.isArray(value) || request.isRepeated("x-api-key") ? "" : value.trim();
}

export function apikeyParameter(query: Record<string, unknown>): string | undefined {
  const { apikey } = query;
  if (apikey === undefined) return undefined;
  return typeof apikey === "string" ? apikey.trim() : "";
}
