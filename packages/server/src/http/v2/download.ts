import { isFormat, sampleOf } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { fileResult, recordAttempt, refuseAttempt, requesterOf } from "../attempts.ts";
import { claimFile, refuseLimited } from "../limits.ts";
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
  using claim = await claimFile(context, {
    organizationId: requester.organizationId,
    isSample: kind !== format,
    ...(isStream ? plannedResponse(request, sent) : { status: 302, bytes: (patch?.file ?? file).sizeBytes }),
    isStream,
  });
  if (claim.refusal) return refuseLimited(context, "v2", requester, claim.refusal);
  const record = (status: number, lengthBytes?: number) =>
    claim.settle(status, recordAttempt(context, "v2", requester, { ...fileResult(status, sent, lengthBytes), open }));
  // Sends the file or patch itself, for networks that cannot reach the storage.
  if (isStream) return await reply.sendDatabaseFile(sent, record);
  const location = linkTo(context, sent);
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

function linkTo({ services, now }: KeyContext, sent: DatabaseFile): string {
  const { objectKey } = sent.patch?.file ?? sent.file;
  return services.objects.link(objectKey, { ttlSeconds: services.linkTtlSeconds, ...namesOf(sent), now });
}
