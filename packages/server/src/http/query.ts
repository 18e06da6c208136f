import type { FastifyRequest } from "fastify";

/** One query parameter; undefined if it is absent or repeated. */
export function parameter({ query }: FastifyRequest, name: string): string | undefined {
  const value = (query as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

/** Accepts `True` too, which Python clients send. */
export function isSampleRequest(request: FastifyRequest): boolean {
  return /^(true|1)$/i.test(parameter(request, "sample") ?? "");
}
