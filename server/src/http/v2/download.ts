import type { Outcome } from "@dbdepot/contract/downloads";
import { ERRORS, type ErrorCode } from "@dbdepot/contract/errors";
import { FILE_TYPES, type Format, fileName } from "@dbdepot/contract/formats";
import type { Build, BuildFile } from "../../builds/build.ts";
import { REFUSALS } from "../../downloads/refusals.ts";
import type { Refused } from "../../keys/authenticate.ts";
import { fileResult, recordAttempt, refuseAttempt } from "../attempts.ts";
import { fileHeaders, sendFile } from "../file.ts";
import { parameter } from "../query.ts";
import { Ready } from "../ready.ts";
import type { Reply } from "../reply.ts";
import type { Request } from "../request.ts";
import type { Parts, Visit } from "../route.ts";
import { type Named, namedBy } from "./named.ts";
import { judge } from "./requested.ts";

/** A link to the file, or a refusal. Either leaves only after its row in the history is durable. */
export async function download(visit: Visit): Promise<Reply> {
  const named = namedBy(visit);
  const { format } = named;
  if (!format) return refuse(visit, { rc: "INVALID_FORMAT", outcome: "unavailable", cause: "no_format" });
  const verdict = await judge(visit, named, format);
  if (!verdict.granted) return refuse(visit, { ...REFUSALS[verdict.refusal], cause: verdict.refusal });
  const file = verdict.build.files[format];
  // A build has a file for each format of its version: publication sees to that.
  if (!file) return refuse(visit, { rc: "NOT_AVAILABLE", outcome: "unavailable", cause: "no_file" });
  return parameter(visit.request, "delivery") === "stream"
    ? stream(visit, verdict.build, file, format)
    : redirect(visit, named, verdict.build, file, format);
}

/** A refused key leaves a row too: its owner's where that is known, else the operator's alone. */
export function recordUnauthorized(parts: Parts, request: Request, refused: Refused, now: Date): Promise<void> {
  const who = { organizationId: refused.key?.organizationId ?? null, keyId: refused.key?.id ?? null };
  const httpStatus = ERRORS.UNAUTHORIZED.status;
  return recordAttempt(parts, request, "v2", who, { outcome: "unauthorized", cause: refused.problem, httpStatus }, now);
}

async function redirect(visit: Visit, named: Named, build: Build, file: BuildFile, format: Format): Promise<Reply> {
  const { parts, reply, now } = visit;
  const location = parts.objects.link(file.objectKey, {
    ttlSeconds: parts.linkTtlSeconds,
    filename: fileName(build.versionId, format),
    contentType: FILE_TYPES[format].contentType,
    now,
  });
  await recordGranted(visit, build, file, 302);
  if (named.redirect?.location !== location) {
    const own = ["location", location, "cache-control", "no-store", "content-length", "0"];
    const headers = [...Object.entries(fileHeaders(build, file)).flat(), ...own];
    named.redirect = { location, ready: new Ready(302, headers) };
  }
  return reply.sendReady(named.redirect.ready);
}

/** For networks that cannot reach the storage: the bytes come from here. */
async function stream(visit: Visit, build: Build, file: BuildFile, format: Format): Promise<Reply> {
  const { parts, request, reply } = visit;
  return sendFile(parts.objects, request, reply, { build, file, format }, (status) =>
    recordGranted(visit, build, file, status),
  );
}

function recordGranted(visit: Visit, build: Build, file: BuildFile, status: number): Promise<void> {
  const { parts, request, now } = visit;
  return recordAttempt(parts, request, "v2", whoOf(visit), fileResult(status, file, build), now);
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
