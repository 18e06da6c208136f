import type { FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "./errors.ts";
import type { Route } from "./route.ts";

/** Responds 405 with `Allow` if the address takes other methods, otherwise 404. */
export function notFoundHandler(
  routes: readonly Route[],
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const patterns = routes.map((route) => ({ route, pattern: patternOf(route.url) }));
  return (request, reply) => {
    const [path = ""] = request.url.split("?");
    const found = patterns.filter(({ pattern }) => pattern.test(path));
    if (found.length === 0) return sendError(reply, "NOT_FOUND");
    const allowed = found.flatMap(({ route }) => methodsOf(route));
    return sendError(reply.header("allow", allowed.join(", ")), "METHOD_NOT_ALLOWED");
  };
}

export function methodsOf({ method }: Route): string[] {
  return method === "GET" ? ["GET", "HEAD"] : [method];
}

function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll(".", "\\.").replace(/:[a-z]+/g, "[^/]+")}$`);
}
