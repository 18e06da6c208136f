import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "./errors.ts";
import type { Route } from "./route.ts";

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
