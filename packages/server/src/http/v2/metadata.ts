import type { FastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { refuseQuery } from "../attempts.ts";
import type { Document } from "../plugins/conditional-requests.ts";
import type { KeyContext } from "../route.ts";
import { buildDocument } from "./build-document.ts";
import { verdictFor } from "./verdict.ts";

const documents = new WeakMap<Build, Document>();

/** Sends the exporter's document byte for byte. Made for polling: an unchanged build is a 304. */
export async function metadata(context: KeyContext): Promise<FastifyReply> {
  const verdict = await verdictFor(context, undefined);
  if (!verdict.granted) return refuseQuery(context, "metadata", verdict.refusal, REFUSALS[verdict.refusal].rc);
  return context.reply.sendDocument(documentOf(verdict.build));
}

function documentOf(build: Build): Document {
  let document = documents.get(build);
  if (!document) {
    document = buildDocument(build, build.metadata, `"${build.id}"`);
    documents.set(build, document);
  }
  return document;
}
