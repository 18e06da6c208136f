import { errorCodes, type FastifyInstance } from "fastify";

/**
 * JSON is the only body that this service reads: text/plain, which Fastify takes too, is 415. Bytes that are no UTF-8
 * are refused instead of replaced, so that nothing is stored that was never sent. No body at all is left to the
 * route's schema, whatever the Content-Type says of it: many clients always send that header.
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    try {
      return done(null, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body as Buffer)));
    } catch {
      return done(new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY());
    }
  });
}
