import { FILE_TYPES, fileName, formatOf, isFormat, sampleOf } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import { fileResult, recordAttempt, refuseAttempt, requesterOf } from "../attempts.ts";
import { type DatabaseFile, fileHeaders } from "../plugins/file-sending.ts";
import { isSampleRequest, parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictFor } from "./verdict.ts";

/** Redirects to the file or refuses. The response is sent once the attempt is durable in the history. */
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
  if (parameter(request, "delivery") === "stream") return stream(context, { build, file, kind }, open);
  const location = linkTo(context, { build, file, kind });
  context.services.metrics.linksSigned.inc();
  await recordAttempt(context, "v2", requester, { ...fileResult(302, file, build), open });
  return reply
    .code(302)
    .headers(fileHeaders(build, file))
    .header("location", location)
    .header("cache-control", "no-store")
    .header("content-length", "0")
    .send();
}

function linkTo({ services, now }: KeyContext, { build, file, kind }: DatabaseFile): string {
  return services.objects.link(file.objectKey, {
    ttlSeconds: services.linkTtlSeconds,
    filename: fileName(build.versionId, kind),
    contentType: FILE_TYPES[formatOf(kind)].contentType,
    now,
  });
}

/** Sends the file itself, for networks that cannot reach the storage. */
function stream(context: KeyContext, { build, file, kind }: DatabaseFile, open: boolean): Promise<FastifyReply> {
  return context.reply.sendDatabaseFile({ build, file, kind }, (status) =>
    recordAttempt(context, "v2", requesterOf(context), { ...fileResult(status, file, build), open }),
  );
}
