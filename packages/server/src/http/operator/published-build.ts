import { FILE_TYPES, fileName, formatOf, isFileKind } from "@dbdepot/contract/shared/formats";
import type { DatabaseChanges } from "@dbdepot/contract/v2/changes";
import type { FastifyReply } from "fastify";
import { notCompared } from "../../domain/builds/changes/comparison.ts";
import { changesBetween } from "../../domain/builds/changes/comparison-job.ts";
import { changesToWire } from "../../domain/builds/changes/wire.ts";
import { conflict, notFound } from "../../platform/primitives/faults.ts";
import type { CallerContext } from "../endpoint.ts";
import type { Services } from "../route.ts";

const WAIT_MS = 20_000;

/** Redirects to a file of any build whose files still exist, also of one that was withdrawn. */
export async function redirectToFile({ services, request, reply, id, now }: CallerContext): Promise<FastifyReply> {
  const kind = (request.params as { format: string }).format;
  const build = await services.store.builds.byId(id);
  const file = isFileKind(kind) && build?.state !== "removed" ? build?.files[kind] : undefined;
  if (!build || !isFileKind(kind) || !file) throw notFound(`build "${id}" does not exist or has no ${kind} any more`);
  const location = services.objects.link(file.objectKey, {
    ttlSeconds: services.linkTtlSeconds,
    filename: fileName(build.versionId, kind),
    contentType: FILE_TYPES[formatOf(kind)].contentType,
    now,
  });
  return reply.redirect(location, 302);
}

/** How a build differs from the one it replaced. Fails if they are still being compared. */
export async function changesOf(services: Services, id: string): Promise<DatabaseChanges> {
  const { store } = services;
  const to = await store.builds.byId(id);
  if (!to) throw notFound(`there is no build "${id}"`);
  const lineage = await store.builds.lineage(to.versionId);
  const previousId = lineage.find(({ buildId }) => buildId === id)?.previousBuildId;
  const from = previousId ? await store.builds.byId(previousId) : undefined;
  if (!from) return changesToWire(undefined, to, notCompared("this is the first build"));
  const pair = { from: from.id, to: to.id };
  const areKept = [from, to].every(({ state }) => state === "published" || state === "staged");
  const outcome = areKept
    ? await changesBetween(services, pair, WAIT_MS)
    : ((await store.changes.find(pair)) ?? notCompared("one of the builds is no longer kept"));
  if (!outcome) throw conflict("the builds are still being compared: try again in a minute");
  return changesToWire(from, to, outcome);
}
