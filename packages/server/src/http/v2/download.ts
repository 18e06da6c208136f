import { isFormat, sampleOf } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { fileResult, recordAttempt, refuseAttempt, requesterOf } from "../attempts.ts";
import { beginsDownload, claimFile, refuseLimited } from "../limits.ts";
import { linkFor } from "../link.ts";
import { type DatabaseFile, fileHeaders, namesOf, plannedResponse } from "../plugins/file-sending.ts";
import { baseDigest, isSampleRequest, parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictFor } from "./verdict.ts";

/** Redirects to the file, or to a patch if the client has an earlier file, or refuses. The response is sent once the attempt is durable in the history. */
export async function download(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const requester = requesterOf(context);
  const format = parameter(request, "format");
  if (!isFormat(format)) {
    return refuseAttempt(context, "v2", requester, {
      rc: "INVALID_FORMAT",
      outcome: "unavailable",
      cause: "no_format",
    });
  }
  const from = baseDigest(request);
  if (from === null) {
    return refuseAttempt(context, "v2", requester, {
      rc: "INVALID_REQUEST",
      outcome: "unavailable",
      cause: "invalid_from",
    });
  }
  const verdict = await verdictFor(context, format);
  if (!verdict.granted) {
    return refuseAttempt(context, "v2", requester, { ...REFUSALS[verdict.refusal], cause: verdict.refusal });
  }
  const { build, open } = verdict;
  const kind = isSampleRequest(request) ? sampleOf(format) : format;
  const file = build.files[kind];
  // Publication makes sure that a build has a file for each format of its version.
  if (!file) {
    return refuseAttempt(context, "v2", requester, { rc: "NOT_AVAILABLE", outcome: "unavailable", cause: "no_file" });
  }
  const patch = from && kind === format ? context.services.register.patch(build.id, format, from) : undefined;
  const sent: DatabaseFile = { build, file, kind, patch };
  const isStream = parameter(request, "delivery") === "stream";
  const link = { status: 302, bytes: (patch?.file ?? file).sizeBytes, fromStart: false };
  const planned = isStream ? plannedResponse(request, sent) : link;
  const isDownload = await beginsDownload(context, requester.organizationId, sent, planned);
  using claim = await claimFile(context, {
    organizationId: requester.organizationId,
    isSample: kind !== format,
    ...planned,
    beginsDownload: isDownload,
    isStream,
  });
  if (claim.refusal) return refuseLimited(context, "v2", requester, claim.refusal);
  const isNewTransfer = planned.bytes > 0 && (planned.status !== 206 || planned.fromStart);
  const savedBytes = patch && isNewTransfer ? Math.max(0, file.sizeBytes - patch.file.sizeBytes) : 0;
  const record = (status: number, lengthBytes?: number) => {
    if (status < 400) context.services.metrics.patchSavedBytes.inc({ format }, savedBytes);
    return claim.settle(
      status,
      recordAttempt(context, "v2", requester, {
        ...fileResult(status, sent, lengthBytes),
        open,
        beginsDownload: isDownload,
      }),
    );
  };
  // Sends the file or patch itself, for networks that cannot reach the storage.
  if (isStream) return await reply.sendDatabaseFile(sent, record);
  const location = linkFor(context, (patch?.file ?? file).objectKey, namesOf(sent));
  context.services.metrics.linksSigned.inc();
  await record(302);
  return reply
    .code(302)
    .headers(fileHeaders(sent))
    .header("location", location)
    .header("cache-control", "no-store")
    .header("content-length", "0")
    .send();
}
