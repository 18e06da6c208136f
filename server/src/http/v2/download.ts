import type { Outcome } from "@dbdepot/contract/downloads";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import { FILE_TYPES, type Format, fileName } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../../builds/build.ts";
import type { AttemptResult } from "../../downloads/attempt.ts";
import { REFUSALS } from "../../downloads/refusals.ts";
import type { Refused } from "../../keys/authenticate.ts";
import { type Attempted, askedBy, fileResult, recordAttempt, refuseAttempt } from "../attempts.ts";
import { fileHeaders, sendFile } from "../file.ts";
import { parameter } from "../query.ts";
import { Ready, ReadyHeader } from "../ready.ts";
import type { Reply } from "../reply.ts";
import type { Request } from "../request.ts";
import type { Parts, Visit } from "../route.ts";
import { namedBy, type Redirect } from "./named.ts";
import { judgeLicensed, refusalFor } from "./requested.ts";

/** Of a link's lifetime: a link may live that much less. */
const LINK_STEP_PART = 0.01;
const LINK_STEP_MAX_SECONDS = 10;

/** A link to the file, or a refusal. Either leaves only after its row in the history is durable. */
export async function download(visit: Visit): Promise<Reply> {
  const named = namedBy(visit);
  const { format } = named;
  if (!format) return refuse(visit, { rc: "INVALID_FORMAT", outcome: "unavailable", cause: "no_format" });
  const refusal = refusalFor(visit, named);
  if (refusal) return refuse(visit, { ...REFUSALS[refusal], cause: refusal });
  const datedMs = linkDate(visit);
  if (named.redirect?.datedMs === datedMs) return redirect(visit, named.redirect);
  const { revision } = named;
  const verdict = await judgeLicensed(visit, named, format);
  if (!verdict.granted) return refuse(visit, { ...REFUSALS[verdict.refusal], cause: verdict.refusal });
  const { build } = verdict;
  const file = build.files[format];
  // A build has a file for each format of its version: publication sees to that.
  if (!file) return refuse(visit, { rc: "NOT_AVAILABLE", outcome: "unavailable", cause: "no_file" });
  if (parameter(visit.request, "delivery") === "stream") return stream(visit, build, file, format);
  const location = new ReadyHeader("location", linkTo(visit.parts, build, file, format, new Date(datedMs)));
  // What was waited for may be old by now.
  const isCurrent = named.revision === revision;
  const known = isCurrent ? named.redirect : undefined;
  const made = { ...(known ?? newRedirect(visit, build, file)), datedMs, location };
  if (isCurrent) named.redirect = made;
  return redirect(visit, made);
}

/** A refused key leaves a row too: its owner's where that is known, else the operator's alone. */
export function recordUnauthorized(parts: Parts, request: Request, refused: Refused, now: Date): Promise<void> {
  const who = { organizationId: refused.key?.organizationId ?? null, keyId: refused.key?.id ?? null };
  const httpStatus = ERRORS.UNAUTHORIZED.status;
  const result: AttemptResult = { outcome: "unauthorized", cause: refused.problem, httpStatus };
  return recordAttempt(parts, request, { api: "v2", who, result, now });
}

/** In steps, within which links to a file are the same: to sign one for each download took 3 µs of it, and left much garbage. */
function linkDate({ parts, now }: Visit): number {
  const seconds = Math.max(1, Math.floor(parts.linkTtlSeconds * LINK_STEP_PART));
  const stepMs = Math.min(seconds, LINK_STEP_MAX_SECONDS) * 1000;
  return Math.floor(now.getTime() / stepMs) * stepMs;
}

function linkTo(parts: Parts, build: Build, file: BuildFile, format: Format, now: Date): string {
  return parts.objects.link(file.objectKey, {
    ttlSeconds: parts.linkTtlSeconds,
    filename: fileName(build.versionId, format),
    contentType: FILE_TYPES[format].contentType,
    now,
  });
}

function newRedirect({ request }: Visit, build: Build, file: BuildFile): Pick<Redirect, "ready" | "attempt"> {
  const headers = [...Object.entries(fileHeaders(build, file)).flat(), "cache-control", "no-store"];
  const ready = new Ready(302, [...headers, "content-length", "0"]);
  return { ready, attempt: { ...askedBy(request), ...fileResult(302, file, build) } };
}

async function redirect(visit: Visit, { ready, attempt, location }: Redirect): Promise<Reply> {
  await recordGranted(visit, { asked: attempt, result: attempt });
  return visit.reply.sendReady(ready, location);
}

/** For networks that cannot reach the storage: the bytes come from here. */
async function stream(visit: Visit, build: Build, file: BuildFile, format: Format): Promise<Reply> {
  const { parts, request, reply } = visit;
  return sendFile(parts.objects, request, reply, { build, file, format }, (status) =>
    recordGranted(visit, { result: fileResult(status, file, build) }),
  );
}

function recordGranted(visit: Visit, granted: Pick<Attempted, "result" | "asked">): Promise<void> {
  const { parts, request, now } = visit;
  return recordAttempt(parts, request, { api: "v2", who: whoOf(visit), now, ...granted });
}

function refuse(visit: Visit, refusal: { rc: ErrorCode; outcome: Outcome; cause: string }): Promise<Reply> {
  return refuseAttempt(visit.parts, visit.request, visit.reply, {
    api: "v2",
    who: whoOf(visit),
    now: visit.now,
    ...refusal,
  });
}

function whoOf({ organizationId, caller }: Visit) {
  return { organizationId, keyId: caller.key.id };
}
