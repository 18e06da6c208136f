import type { Build } from "../../builds/build.ts";
import type { Verdict } from "../../downloads/decide.ts";
import { REFUSALS } from "../../downloads/refusals.ts";
import { Document, sendDocument } from "../document.ts";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import { type Named, namedBy } from "./named.ts";
import { judge } from "./requested.ts";

const documents = new WeakMap<Build, Document>();

/** The exporter's document, byte for byte. Made for polling: an unchanged build is a 304. */
export function metadata(visit: Visit): Reply | Promise<Reply> {
  const named = namedBy(visit);
  const verdict = judge(visit, named, undefined);
  return verdict instanceof Promise
    ? verdict.then((found) => answer(visit, named, found))
    : answer(visit, named, verdict);
}

function answer(visit: Visit, named: Named, verdict: Verdict): Reply {
  if (!verdict.granted) return sendError(visit.reply, REFUSALS[verdict.refusal].rc);
  named.document ??= documentOf(verdict.build);
  return sendDocument(visit, named.document);
}

function documentOf(build: Build): Document {
  let document = documents.get(build);
  if (!document) {
    document = new Document(build, build.metadata, `"${build.id}"`);
    documents.set(build, document);
  }
  return document;
}
