import type { Format } from "@dbdepot/contract/shared/formats";
import type { LegacyChecksums, LegacyMetadata } from "@dbdepot/contract/v1/files";
import type { FastifyReply } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import {
  decideLegacy,
  LEGACY_REFUSALS,
  type LegacyRefusal,
  type LegacyVerdict,
} from "../../domain/downloads/decide-legacy.ts";
import { fileResult, recordAttempt, refuseAttempt, refuseQuery } from "../attempts.ts";
import { beginsDownload, claimFile, refuseLimited } from "../limits.ts";
import { type DatabaseFile, plannedResponse } from "../plugins/file-sending.ts";
import { parameter } from "../query.ts";
import type { LegacyKeyContext } from "../route.ts";

/** Sends the file itself or refuses. Nothing is sent before the attempt is durable in the history. */
export async function download(context: LegacyKeyContext): Promise<FastifyReply> {
  const requester = { organizationId: context.key.organizationId, keyId: context.key.id };
  const verdict = verdictForFile(context);
  if (!verdict.granted) {
    return refuseAttempt(context, "v1", requester, { ...LEGACY_REFUSALS[verdict.refusal], cause: verdict.refusal });
  }
  const { build, file } = verdict;
  const planned = plannedResponse(context.request, verdict);
  const isDownload = await beginsDownload(context, requester.organizationId, verdict, planned);
  using claim = await claimFile(context, {
    organizationId: requester.organizationId,
    ...planned,
    beginsDownload: isDownload,
    isStream: true,
  });
  if (claim.refusal) return refuseLimited(context, "v1", requester, claim.refusal);
  return await context.reply.sendDatabaseFile(verdict, (status, lengthBytes) =>
    claim.settle(
      status,
      recordAttempt(context, "v1", requester, {
        ...fileResult(status, { file, build }, lengthBytes),
        beginsDownload: isDownload,
      }),
    ),
  );
}

/** Sends the digests of the file that a download would send now. */
export async function checksum(context: LegacyKeyContext): Promise<FastifyReply> {
  const verdict = verdictForFile(context);
  if (!verdict.granted) return refuseQuery(context, "checksum", verdict.refusal, LEGACY_REFUSALS[verdict.refusal].rc);
  const body: LegacyChecksums = { rc: "SUCCESS", data: verdict.file.checksums };
  return sendAbout(verdict.build, context.reply, body);
}

/** Sends date, row count and sizes of the published build. */
export async function metadata(context: LegacyKeyContext): Promise<FastifyReply> {
  const verdict = verdictForBuild(context, false);
  if (!verdict.granted) return refuseQuery(context, "metadata", verdict.refusal, LEGACY_REFUSALS[verdict.refusal].rc);
  const { updated, entries, files } = verdict.build;
  // v1 clients rely on `size.csvgz`: a version without that file reports 0 bytes.
  const size = { csvgz: files.csvgz?.sizeBytes ?? 0, ...(files.mmdb && { mmdb: files.mmdb.sizeBytes }) };
  const body: LegacyMetadata = { rc: "SUCCESS", data: { updated, entries, size } };
  return sendAbout(verdict.build, context.reply, body);
}

function sendAbout(
  build: Pick<Build, "id">,
  reply: FastifyReply,
  body: LegacyChecksums | LegacyMetadata,
): FastifyReply {
  return reply.header("x-build-id", build.id).header("cache-control", "private, no-cache").send(body);
}

type FileVerdict = ({ granted: true } & DatabaseFile) | { granted: false; refusal: LegacyRefusal };

/** Decides whether the key may have the file that `id` and `format` name. */
function verdictForFile(context: LegacyKeyContext): FileVerdict {
  const verdict = verdictForBuild(context, true);
  if (!verdict.granted) return verdict;
  const format = parameter(context.request, "format") as Format;
  const file = verdict.build.files[format];
  // Publication makes sure that a build has a file for each format of its version.
  return file ? { ...verdict, file, kind: format } : { granted: false, refusal: "not_published" };
}

/** Decides whether the key may have the build that `id` names. */
function verdictForBuild({ services, request, key }: LegacyKeyContext, needsFormat: boolean): LegacyVerdict {
  const id = parameter(request, "id");
  return decideLegacy({
    id,
    format: parameter(request, "format"),
    needsFormat,
    databaseIds: key.databaseIds,
    offer: id === undefined ? undefined : services.register.offer(id),
  });
}
