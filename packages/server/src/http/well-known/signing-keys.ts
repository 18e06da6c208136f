import { hash } from "node:crypto";
import type { FastifyReply } from "fastify";
import { signingKeysToWire } from "../../domain/manifests/wire.ts";
import { sendError } from "../errors.ts";
import type { RequestContext } from "../route.ts";

/** Sends the public keys that verify this service's manifests. */
export function signingKeys({ services, reply }: RequestContext): FastifyReply {
  const keys = services.register.signingKeys;
  const modified = keys.at(-1)?.created;
  if (!modified) return sendError(reply, "NOT_SIGNED");
  const body = Buffer.from(`${JSON.stringify(signingKeysToWire(keys), null, 2)}\n`);
  return reply.sendDocument({
    body,
    contentType: "application/json; charset=utf-8",
    etag: `"${hash("sha256", body).slice(0, 32)}"`,
    modified,
    headers: { "cache-control": "public, max-age=300" },
  });
}
