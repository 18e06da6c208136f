import { type Format, isFormat } from "@dbdepot/contract/formats";
import type { FastifyRequest } from "fastify";

/** One parameter as it was sent; undefined when it is absent, and when it is there twice. */
export function parameter(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === "string" ? value : undefined;
}

export function formatParameter(request: FastifyRequest): Format | undefined {
  const format = parameter(request, "format");
  return isFormat(format) ? format : undefined;
}
