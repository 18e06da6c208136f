import { fileName } from "@dbdepot/contract/shared/formats";
import type { FastifyReply } from "fastify";
import type { BuildFile, BuildSummary } from "../../domain/builds/build.ts";
import { fileResult, recordAttempt, refuseAttempt, requesterOf } from "../attempts.ts";
import { claimFile, refuseLimited } from "../limits.ts";
import { publishedAt } from "../plugins/file-sending.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { type CurrentFile, currentFile, editionInPath, idInPath } from "./edition.ts";

const UNKNOWN_BUILD: CurrentFile = { refusal: { rc: "UNKNOWN_BUILD", outcome: "unknown", cause: "unknown_build" } };

/** Sends the MMDB file in a tar.gz, as geoipupdate 6 and later expects it. */
export async function download(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const requested = editionInPath(request);
  const requester = requesterOf(context);
  if (parameter(request, "suffix") !== "tar.gz") {
    const refusal = { rc: "INVALID_FORMAT", outcome: "unavailable", cause: "no_format" } as const;
    return refuseAttempt(context, "v2", requester, refusal, requested);
  }
  const found = await fileOfDate(context, idInPath(request), parameter(request, "date"));
  if (found.refusal) return refuseAttempt(context, "v2", requester, found.refusal, requested);
  const { build, file, open } = found;
  const directory = `${build.versionId}_${compactDate(build)}`;
  const tar = {
    directory,
    name: fileName(build.versionId, "mmdb"),
    sizeBytes: file.sizeBytes,
    modified: new Date(build.updated),
  };
  using claim = await claimWhole(context, file);
  if (claim.refusal) return refuseLimited(context, "v2", requester, claim.refusal, requested);
  setHeaders(reply, build, `${directory}.tar.gz`);
  return await reply.sendGzipped({ key: file.objectKey, tar }, (status, lengthBytes) =>
    claim.settle(
      status,
      recordAttempt(context, "v2", requester, { ...fileResult(status, { file, build }, lengthBytes), open }, requested),
    ),
  );
}

/** Sends the gzipped MMDB file, as geoipupdate before version 6 expects it, or 304 if the client has it. */
export async function update(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const requested = editionInPath(request);
  const requester = requesterOf(context);
  const found = currentFile(context, idInPath(request));
  if (found.refusal) return refuseAttempt(context, "v2", requester, found.refusal, requested);
  const { build, file, open } = found;
  const { md5 } = file.checksums;
  const describe = () =>
    setHeaders(reply, build, `${fileName(build.versionId, "mmdb")}.gz`).header("x-database-md5", md5);
  const record = (status: number, lengthBytes: number | undefined) =>
    recordAttempt(context, "v2", requester, { ...fileResult(status, { file, build }, lengthBytes), open }, requested);
  if (parameter(request, "db_md5")?.toLowerCase() === md5) {
    await record(304, 0);
    return describe().code(304).send();
  }
  using claim = await claimWhole(context, file);
  if (claim.refusal) return refuseLimited(context, "v2", requester, claim.refusal, requested);
  return await describe().sendGzipped({ key: file.objectKey }, (status, lengthBytes) =>
    claim.settle(status, record(status, lengthBytes)),
  );
}

function claimWhole(context: KeyContext, { sizeBytes }: BuildFile) {
  return claimFile(context, { organizationId: context.organizationId, status: 200, bytes: sizeBytes, isStream: true });
}

/**
 * geoipupdate asks for the date it got from the metadata. If another build has been published since, it gets the one it
 * asked for, whose MD5 it knows.
 */
async function fileOfDate(context: KeyContext, id: string, date: string | undefined): Promise<CurrentFile> {
  const current = currentFile(context, id);
  if (current.refusal || date === undefined || compactDate(current.build) === date) return current;
  const parts = /^(\d{4})(\d\d)(\d\d)$/.exec(date);
  if (!parts) return UNKNOWN_BUILD;
  const updated = parts.slice(1).join("-");
  const [build] = await context.services.store.builds.list(id, { states: ["published"], updated, limit: 1 });
  return build?.files.mmdb ? { build, file: build.files.mmdb, open: current.open } : UNKNOWN_BUILD;
}

function compactDate({ updated }: BuildSummary): string {
  return updated.replaceAll("-", "");
}

function setHeaders(reply: FastifyReply, build: BuildSummary, name: string): FastifyReply {
  return reply
    .header("content-disposition", `attachment; filename="${name}"`)
    .header("last-modified", publishedAt(build).toUTCString())
    .header("x-build-id", build.id)
    .header("cache-control", "private, no-cache");
}
