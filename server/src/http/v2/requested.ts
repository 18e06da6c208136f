import type { Format } from "@dbdepot/contract/formats";
import type { Build } from "../../builds/build.ts";
import { decideLicensed, type Refusal, refusalWithout, refuse, type Verdict } from "../../downloads/decide.ts";
import { REFUSALS } from "../../downloads/refusals.ts";
import { type Document, sendDocument } from "../document.ts";
import { sendError } from "../errors.ts";
import type { Reply } from "../reply.ts";
import type { Visit } from "../route.ts";
import type { Named } from "./named.ts";

/** Why the caller may have nothing of what is named; undefined for those who may. Download, checksum and metadata all ask here first. */
export function refusalFor({ parts, caller, now }: Visit, { offer, familyNumber }: Named): Refusal | undefined {
  if (!offer) return "unknown_dataset";
  return refusalWithout(offer, parts.register.licencesFor(caller, offer, familyNumber), now);
}

/** What those get who may. It waits only for a pinned build that nobody has asked for lately. */
export function judgeLicensed(
  { parts }: Visit,
  { offer, buildId }: Named,
  format: Format | undefined,
): Verdict | Promise<Verdict> {
  if (!offer) return refuse("unknown_dataset");
  if (buildId === undefined) return decideLicensed(offer, { format, pinned: false });
  // Given twice it names no build.
  const pinned = typeof buildId === "string" ? parts.register.pinnedBuild(offer.version.id, buildId) : undefined;
  return Promise.resolve(pinned).then((build) => decideLicensed({ ...offer, build }, { format, pinned: true }));
}

/** Sends the document about the build that is named, which `make` makes when nobody has asked for it yet. */
export function sendAbout<F extends Format | undefined>(
  visit: Visit,
  named: Named,
  format: F,
  make: (build: Build, format: F) => Document | undefined,
): Reply | Promise<Reply> {
  const refusal = refusalFor(visit, named);
  if (refusal) return sendError(visit.reply, REFUSALS[refusal].rc);
  return named.document ? sendDocument(visit, named.document) : sendNew(visit, named, format, make);
}

function sendNew<F extends Format | undefined>(
  visit: Visit,
  named: Named,
  format: F,
  make: (build: Build, format: F) => Document | undefined,
): Reply | Promise<Reply> {
  const { revision } = named;
  const verdict = judgeLicensed(visit, named, format);
  return verdict instanceof Promise ? verdict.then(answer) : answer(verdict);

  function answer(found: Verdict): Reply {
    if (!found.granted) return sendError(visit.reply, REFUSALS[found.refusal].rc);
    const document = make(found.build, format);
    // A build has a file for each format of its version: publication sees to that.
    if (!document) return sendError(visit.reply, "NOT_AVAILABLE");
    // What was waited for may be old by now.
    if (named.revision === revision) named.document = document;
    return sendDocument(visit, document);
  }
}
