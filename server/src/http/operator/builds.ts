import { FORMATS } from "@dbdepot/contract/formats";
import type { BuildsQuery } from "@dbdepot/contract/operator-queries";
import type { PublishBuildRequest, RollBackRequest } from "@dbdepot/contract/operator-requests";
import type {
  BuildList,
  BuildUpload,
  PublishedBuild,
  RolledBackBuild,
  WithdrawnBuild,
} from "@dbdepot/contract/operator-responses";
import type { Build } from "../../builds/build.ts";
import { DOCUMENT_MAX_BYTES, readDocument } from "../../builds/document.ts";
import { publishBuild } from "../../builds/publish.ts";
import { BuildRefused } from "../../builds/refusal.ts";
import { rollBack, withdrawBuild } from "../../builds/rollback.ts";
import { discardBuild, requireStaged, stageBuild } from "../../builds/staging.ts";
import { receivedBytes } from "../../builds/upload-parts.ts";
import { buildToWire, publishedToWire } from "../../builds/wire.ts";
import { requireVersion } from "../../catalogue/catalogue.ts";
import { notFound } from "../../primitives/faults.ts";
import type { Services } from "../route.ts";
import { abortUpload } from "./exclusive-upload.ts";
import { rawBody } from "./raw-body.ts";
import type { OperatorContext } from "./route.ts";

export async function listBuilds({ services, query }: OperatorContext<BuildsQuery>): Promise<BuildList> {
  const version = await requireVersion(services.store, query.version);
  const builds = await services.store.builds.list(version.id);
  return { builds: builds.map((build) => buildToWire(build, version.currentBuildId)) };
}

/** Starts a build with the exporter's document, which is kept byte for byte. Its files follow. */
export async function postBuild({
  services,
  operation,
  query,
  request,
}: OperatorContext<BuildsQuery>): Promise<BuildUpload> {
  const document = await readUpTo(rawBody(request), DOCUMENT_MAX_BYTES);
  const read = await readDocument(document);
  // Refuse it before gigabytes are sent. Publication checks the document again, together with the files.
  if ("faults" in read) throw new BuildRefused("faulty", read.faults.map(ofMetadata));
  return uploadOf(services, await stageBuild(operation, { versionId: query.version, document }));
}

export async function getBuild({ services, id }: OperatorContext): Promise<BuildUpload> {
  const build = await services.store.builds.byId(id);
  if (!build) throw notFound(`there is no build "${id}"`);
  return uploadOf(services, build);
}

export async function postPublication({
  services,
  operation,
  id,
  body,
}: OperatorContext<unknown, PublishBuildRequest>): Promise<PublishedBuild> {
  const { force = false, keep } = body;
  const { objects, linkTtlSeconds } = services;
  const retention = keep === undefined ? {} : { retention: { keep, linkTtlSeconds } };
  const stopTimer = services.metrics.publishSeconds.startTimer();
  const published = await publishBuild(operation, objects, id, { force, ...retention });
  stopTimer();
  return publishedToWire(published);
}

/** Discards a build that was not published, with everything uploaded for it. */
export async function postDiscard({ services, operation, id }: OperatorContext): Promise<BuildUpload> {
  const build = await requireStaged(services.store, id);
  // An upload that was interrupted may still be storing what has arrived.
  for (const format of FORMATS) await abortUpload(`${id} ${format}`);
  await discardBuild(operation, services.objects, build);
  return { ...buildToWire(build, null), received: {} };
}

export async function postRollback({
  operation,
  id,
  body,
}: OperatorContext<unknown, RollBackRequest>): Promise<RolledBackBuild> {
  const build = await rollBack(operation, { versionId: id, ...(body.to !== undefined && { to: body.to }) });
  return { build_id: build.id, ...buildToWire(build, build.id) };
}

export async function postWithdrawal({ operation, id }: OperatorContext): Promise<WithdrawnBuild> {
  const { build, currentBuildId } = await withdrawBuild(operation, id);
  return { ...buildToWire(build, currentBuildId), current_build_id: currentBuildId };
}

/** The build, and how many bytes of its incomplete files have arrived. */
export async function uploadOf({ store, objects }: Services, build: Build): Promise<BuildUpload> {
  const version = await requireVersion(store, build.versionId);
  return {
    ...buildToWire(build, version.currentBuildId),
    received: await receivedBytes(objects, build, version.formats),
  };
}

function ofMetadata(fault: string): string {
  return `metadata: ${fault}`;
}

/** Stops reading after the maximum: what is longer is refused anyway. */
async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let lengthBytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    lengthBytes += chunk.length;
    if (lengthBytes > maxBytes) break;
  }
  return Buffer.concat(chunks);
}
