import type { FastifyRequest } from "fastify";

/** One query parameter; undefined if it is absent or repeated. */
export function parameter({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The digest of the file that the client has; undefined if the request has none, null if it is invalid. */
export function baseDigest({ query }: FastifyRequest): string | undefined | null {
  const { from } = query as Record<string, unknown>;
  if (from === undefined) return undefined;
  const digest = typeof from === "string" ? from.toLowerCase() : "";
  return SHA256.test(digest) ? digest : null;
}

/** Accepts `True` too, which Python clients send. */
export function isSampleRequest(request: FastifyRequest): boolean {
  return /^(true|1)$/i.test(parameter(request, "sample") ?? "");
}
