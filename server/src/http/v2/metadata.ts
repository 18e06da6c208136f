import type { Build } from "../../builds/build.ts";
import { Document } from "../document.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { namedBy } from "./named.ts";
import { sendAbout } from "./requested.ts";

const documents = new WeakMap<Build, Document>();

/** The exporter's document, byte for byte. Made for polling: an unchanged build is a 304. */
export function metadata(visit: Visit): Reply | Promise<Reply> {
  return sendAbout(visit, namedBy(visit), undefined, documentOf);
}

function documentOf(build: Build): Document {
  let document = documents.get(build);
  if (!document) {
    document = new Document(build, build.metadata, `"${build.id}"`);
    documents.set(build, document);
  }
  return document;
}
