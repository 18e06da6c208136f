import type { BuildGone } from "@dbdepot/contract/v2/changes";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Build } from "../../domain/builds/build.ts";
import { changedRows, notCompared } from "../../domain/builds/changes/comparison.ts";
import { changesBetween } from "../../domain/builds/changes/comparison-job.ts";
import { type Outcome, withoutOldRows } from "../../domain/builds/changes/outcome.ts";
import { changesToWire } from "../../domain/builds/changes/wire.ts";
import { REFUSALS } from "../../domain/downloads/refusals.ts";
import {
  type RefusedAttempt,
  type RequestedFile,
  recordAttempt,
  recordRefusal,
  refuseAttempt,
  refuseQuery,
  requesterOf,
} from "../attempts.ts";
import { sendError } from "../errors.ts";
import { claimFile, refuseLimited } from "../limits.ts";
import { parameter } from "../query.ts";
import type { KeyContext } from "../route.ts";
import { verdictOnBuild } from "./verdict.ts";

/** Shorter than proxies wait for a response. */
const WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/** Sends what changed between two builds: counts with examples, or the rows themselves, which are a download. */
export async function changes(context: KeyContext): Promise<FastifyReply> {
  const { request, reply } = context;
  const { format = "csvgz", from: fromId, to: toId } = request.query as Record<string, unknown>;
  const isDownload = wantsRows(request);
  if (format !== "csvgz") return refuse(context, { ...REFUSALS.not_built, cause: "no_format" });
  const verdict = await verdictOnBuild(context, { format, sample: false }, toId);
  if (!verdict.granted) return refuse(context, { ...REFUSALS[verdict.refusal], cause: verdict.refusal });
  const to = verdict.build;
  const from = await olderBuild(context, to, fromId);
  if (from === "unknown") return refuse(context, { ...REFUSALS.unknown_build, cause: "unknown_build" });
  const isKept = from?.state === "published";
  // The counts of a comparison stay valid after a build was removed, but its rows are gone.
  if (from && !isKept && (fromId !== undefined || isDownload)) return sendGone(context, to.versionId);
  const outcome = from ? await outcomeOf(context, from, to, isKept) : notCompared("this is the first build");
  if (outcome === "gone") return sendGone(context, to.versionId);
  if (!outcome) return sendPending(reply);
  if (isDownload) return sendRows(context, { from, to, outcome, open: verdict.open });
  return reply
    .header("x-build-id", to.id)
    .header("cache-control", "private, no-cache")
    .send(changesToWire(from, to, from?.withdrawn ? withoutOldRows(outcome) : outcome));
}

export function wantsRows(request: FastifyRequest): boolean {
  return /^(true|1)$/i.test(parameter(request, "rows") ?? "");
}

/** Refusals of rows are in the history. */
function refuse(context: KeyContext, refusal: RefusedAttempt): FastifyReply | Promise<FastifyReply> {
  if (!wantsRows(context.request)) return refuseQuery(context, "changes", refusal.cause, refusal.rc);
  return refuseAttempt(context, "v2", requesterOf(context), refusal, requestedRows(context));
}

function requestedRows({ request }: KeyContext): RequestedFile {
  return { datasetId: parameter(request, "id"), format: parameter(request, "format") ?? "csvgz", sample: false };
}

/** The build to compare with; undefined if `to` was the first one. */
async function olderBuild(context: KeyContext, to: Build, fromId: unknown): Promise<Build | "unknown" | undefined> {
  const { builds } = context.services.store;
  if (fromId === undefined) {
    const lineage = await builds.lineage(to.versionId);
    const previousId = lineage.find(({ buildId }) => buildId === to.id)?.previousBuildId;
    return previousId ? builds.byId(previousId) : undefined;
  }
  const found = typeof fromId === "string" ? await builds.byId(fromId) : undefined;
  return found?.versionId === to.versionId && found.state !== "staged" ? found : "unknown";
}

async function outcomeOf(
  { services }: KeyContext,
  from: Build,
  to: Build,
  isKept: boolean,
): Promise<Outcome | "gone" | undefined> {
  const pair = { from: from.id, to: to.id };
  if (isKept) return changesBetween(services, pair, WAIT_MS);
  return (await services.store.changes.find(pair)) ?? "gone";
}

function sendPending(reply: FastifyReply): FastifyReply {
  return sendError(reply.header("retry-after", String(RETRY_SECONDS)), "CHANGES_PENDING");
}

async function countGone(context: KeyContext): Promise<void> {
  const cause = "build_gone";
  if (!wantsRows(context.request)) return context.services.metrics.refusedQueries.inc({ endpoint: "changes", cause });
  const refusal = { rc: "BUILD_GONE", outcome: "unavailable", cause } as const;
  await recordRefusal(context, "v2", requesterOf(context), refusal, requestedRows(context));
}

/** Names the oldest build that can be compared with, so that a gap is not mistaken for no changes. */
async function sendGone(context: KeyContext, versionId: string): Promise<FastifyReply> {
  const { services, reply } = context;
  await countGone(context);
  const oldest = (await services.store.builds.list(versionId, { states: ["published"] })).at(-1);
  const body: BuildGone = { rc: "BUILD_GONE", oldest_build_id: oldest?.id ?? null };
  return reply.code(410).header("cache-control", "no-store").send(body);
}

interface Rows {
  from: Build | undefined;
  to: Build;
  outcome: Outcome;
  open: boolean;
}

async function sendRows(context: KeyContext, { from, to, outcome, open }: Rows): Promise<FastifyReply> {
  const { services, request, reply, organizationId } = context;
  if (!from || outcome.state === "not_compared") {
    return refuse(context, { rc: "NOT_COMPARABLE", outcome: "unavailable", cause: "not_comparable" });
  }
  using slot = services.rowStreams.open(organizationId);
  if (!slot) return sendPending(reply);
  const requester = requesterOf(context);
  const requested = requestedRows(context);
  const bytes = outcome.changes.rowsBytes ?? to.files.csvgz?.sizeBytes ?? 0;
  const sent = { status: 200, bytes: request.method === "HEAD" ? 0 : bytes };
  using claim = await claimFile(context, { organizationId, ...sent, isStream: true });
  if (claim.refusal) return refuseLimited(context, "v2", requester, claim.refusal, requested);
  reply
    .header("content-type", "text/csv; charset=utf-8; header=present")
    .header("content-disposition", `attachment; filename="${to.versionId}-changes.csv"`)
    .header("cache-control", "private, no-cache")
    .header("x-build-id", to.id);
  const granted = { outcome: "ok", buildId: to.id, bytes, patch: true, open } as const;
  return await reply.sendRows(
    () => changedRows(services.objects, { before: from, after: to }, outcome.strategy),
    (httpStatus, sentBytes) =>
      claim.settle(
        httpStatus,
        recordAttempt(context, "v2", requester, { ...granted, httpStatus, sentBytes }, requested),
      ),
  );
}
