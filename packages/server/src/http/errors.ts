import type { OperatorErrorBody } from "@dbdepot/contract/operator/errors";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/shared/errors";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Route } from "./route.ts";

/** How long a client should wait before it asks again for a build that is not published yet. */
const RETRY_AFTER_SECONDS = 300;

/**
 * Responds with the status that belongs to the code. The body is exactly `{rc}`, without any detail of the cause. Only
 * operators get `why`, and programs with their own protocol get the body that they expect.
 */
export function sendError(reply: FastifyReply, code: ErrorCode, why?: Omit<OperatorErrorBody, "rc">): FastifyReply {
  const { status } = ERRORS[code];
  const { route } = reply.request;
  if (status === 503 && !reply.hasHeader("retry-after")) reply.header("retry-after", String(RETRY_AFTER_SECONDS));
  return reply
    .code(status)
    .header("cache-control", "no-store")
    .send(route?.errorBody?.(code) ?? { rc: code, ...why });
}

/**
 * Redirects paths with repeated slashes to the normalized path, responds 405 with `Allow` if the path supports other methods, and
 * 404 otherwise.
 */
export function notFoundHandler(
  routes: readonly Route[],
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const patterns = routes.map((route) => ({ route, pattern: patternOf(route.url) }));
  return (request, reply) => {
    const [path = ""] = request.url.split("?");
    const normalized = path.replace(/\/{2,}/g, "/");
    const found = patterns.filter(({ pattern }) => pattern.test(normalized));
    if (found.length === 0) return sendError(reply, "NOT_FOUND");
    if (normalized !== path) return reply.redirect(normalized + request.url.slice(path.length), 308);
    const allowed = found.flatMap(({ route }) => methodsOf(route));
    return sendError(reply.header("allow", allowed.join(", ")), "METHOD_NOT_ALLOWED");
  };
}

export function methodsOf({ method }: Route): string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

function patternOf(url: string): RegExp {
  return new RegExp(
    `^${url
      .replaceAll(".", "\\.")
      .replace(/:[a-z]+/g, "[^/]+")
      .replace("*", ".*")}$`,
  );
}
