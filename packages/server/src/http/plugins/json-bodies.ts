import type { IncomingMessage } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";

export const BODY_MAX_BYTES = 64 * 1024;

/** The body is not JSON, or not a form, in UTF-8. */
export class MalformedBody extends Error {}

/** The body did not arrive in time. */
export class BodyTimeout extends Error {}

/** The body has another media type. */
export class UnsupportedMediaType extends Error {}

/**
 * Reads bodies as JSON. Bytes that are not UTF-8 are refused instead of replaced, so that
 * only what the client sent is stored. A request without a body may have any Content-Type: many clients always send one.
 */
export const jsonBodies = fastifyPlugin<{ timeoutMs: number }>(async (app, { timeoutMs }) =>
  readBodies(app, { timeoutMs, type: "application/json", parse: JSON.parse }),
);

interface BodyReader {
  timeoutMs: number;
  /** The only media type that is accepted. */
  type: string;
  /** Throws if the text is malformed. */
  parse(text: string): unknown;
}

export function readBodies(app: FastifyInstance, { timeoutMs, type, parse }: BodyReader): void {
  app.addHook("preParsing", async (request, reply, body) =>
    hasBody(request.raw) ? withDeadline(body, timeoutMs, reply) : body,
  );
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(type, { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, body.length === 0 ? undefined : parse(decode(body as Buffer)));
    } catch {
      done(new MalformedBody());
    }
  });
  app.addContentTypeParser("*", (request, _body, done) => {
    if (hasBody(request.raw)) done(new UnsupportedMediaType());
    else done(null, undefined);
  });
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** The same bytes, or an error at the deadline. The connection stays open for the response. */
function withDeadline(body: Readable, timeoutMs: number, reply: FastifyReply): Readable {
  const copy = new PassThrough();
  const timer = setTimeout(() => copy.destroy(new BodyTimeout()), timeoutMs);
  copy.once("close", () => clearTimeout(timer));
  // A body that was refused unread is never closed.
  reply.raw.once("close", () => clearTimeout(timer));
  // Fastify does not listen for errors before and after it reads the body.
  copy.on("error", () => {});
  body.once("error", (error) => copy.destroy(error));
  return body.pipe(copy);
}

function decode(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
