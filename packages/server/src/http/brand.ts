import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import type { Logo } from "../domain/brand/logo.ts";
import { sendError } from "./errors.ts";
import type { RequestContext } from "./route.ts";

/** An SVG that is opened by itself is a page: it may run no scripts, load nothing and has no access to the console. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function logo(context: RequestContext): FastifyReply {
  return send(context, context.services.console.brand.logo);
}

export function darkLogo(context: RequestContext): FastifyReply {
  return send(context, context.services.console.brand.logoDark);
}

function send({ reply }: RequestContext, logo: Logo | undefined): FastifyReply {
  if (!logo) return sendError(reply, "NOT_FOUND");
  return reply.sendDocument({
    body: logo.bytes,
    contentType: logo.contentType,
    etag: `"${hash("sha256", logo.bytes, "base64url")}"`,
    headers: {
      "cache-control": "no-cache",
      "content-security-policy": CONTENT_SECURITY_POLICY,
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
  });
}
