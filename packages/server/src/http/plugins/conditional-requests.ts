import { evaluatePreconditions, type Validators } from "@dbdepot/formats/transfers/preconditions";
import type { FastifyReply } from "fastify";
import fastifyPlugin from "fastify-plugin";

/** A body that clients can revalidate by its ETag. */
export interface Document extends Validators {
  body: Buffer;
  contentType: string;
  /** Sent with the body and with a 304. */
  headers: Readonly<Record<string, string>>;
}

declare module "fastify" {
  interface FastifyReply {
    /** Sends the document, or 304 if the client already has it. */
    sendDocument(document: Document): FastifyReply;
  }
}

/** Adds `reply.sendDocument`. */
export const conditionalRequests = fastifyPlugin(async (app) => {
  app.decorateReply("sendDocument", function (this: FastifyReply, document: Document) {
    this.headers(document.headers).header("etag", document.etag);
    // If-Match and If-Unmodified-Since guard writes; readers who send them get the document.
    const isUnchanged = evaluatePreconditions(this.request.headers, document) === "not_modified";
    if (isUnchanged) return this.code(304).send();
    return this.header("content-type", document.contentType).send(document.body);
  });
});
