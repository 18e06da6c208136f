import type { IncomingMessage } from "node:http";
import fastifyPlugin from "fastify-plugin";

export const BODY_MAX_BYTES = 64 * 1024;

/** The body is not JSON in UTF-8. */
export class MalformedJson extends Error {}

/** The body has another media type. */
export class UnsupportedMediaType extends Error {}

/**
 * Reads bodies as JSON. Bytes that are not UTF-8 are refused instead of replaced, so that
 * only what the client sent is stored. A request without a body may have any Content-Type: many clients always send one.
 */
export const jsonBodies = fastifyPlugin(async (app) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parse(body as Buffer));
    } catch {
      done(new MalformedJson());
    }
  });
  app.addContentTypeParser("*", (request, _body, done) => {
    if (hasBody(request.raw)) done(new UnsupportedMediaType());
    else done(null, undefined);
  });
});

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function parse(bytes: Buffer): unknown {
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
